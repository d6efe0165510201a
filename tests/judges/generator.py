"""Random C programs from a wide part of the language, with places for checks.

A program reads a few inputs with small ranges, has no undefined behaviour but signed overflow (which wraps), ends after
few steps, and uses: integer types of all sizes, floats, enumerations, structs, unions, bit-fields, arrays, strings and
functions on memory, pointers to all of these, function-pointer tables, loops, switches with ranges, goto in both
directions, recursion, static locals, variadic functions, structs by value, compound literals, statement expressions,
`_Generic`, `sizeof` and builtins.

Changes are made by `code_tree.change`; everything that must stay inside its bounds (masks of indices, loop bounds, sizes) is
plain text there, or offers only what is within bounds.
"""
import random

from code_tree import Node, binary, block, choice, constant, fixed, plain, statement

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long",
            "_Bool"]
ARITHMETIC = [["+", "-"], ["&", "|", "^"], ["*"], ["<", "<=", ">", ">="], ["==", "!="], ["&&", "||"]]
INPUTS = {"int": "__VERIFIER_nondet_int", "unsigned char": "__VERIFIER_nondet_uchar"}

HEAD = """extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
extern char *strcpy(char *, const char *);
extern unsigned long strlen(const char *);
extern int strcmp(const char *, const char *);
"""


class Scope:
    """What an expression or a statement may name."""

    def __init__(self, reads, writes, targets, calls, depth=2):
        self.reads, self.writes, self.targets, self.calls, self.depth = reads, writes, targets, calls, depth

    def inner(self, reads=(), writes=(), depth=None):
        """The same with more names, or for a nested statement."""
        return Scope([*self.reads, *reads], [*self.writes, *writes], self.targets, self.calls,
                     self.depth if depth is None else depth)


class Generator:
    """The program of a seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = 0
        self.sites = []

    def fresh(self, letter):
        """A new name."""
        self.names += 1
        return f"{letter}{self.names}"

    def one_in(self, number):
        """True once in so many times."""
        return self.rng.randrange(number) == 0

    # expressions

    def small(self):
        """A number."""
        return constant(self.rng, [0, 1, 2, 3, 5, 7, -1, -3, 10, 100, 255, 256, 1000, -128, 65535])

    def leaf(self, scope):
        """A variable or a number."""
        if self.one_in(4):
            return self.small()
        return choice(self.rng, self.rng.sample(scope.reads, min(4, len(scope.reads))))

    def expression(self, scope, depth=2):
        """An integer expression without side effects."""
        if depth == 0 or self.one_in(6):
            return self.leaf(scope)
        below = lambda: self.expression(scope, depth - 1)
        kind = self.rng.randrange(16)
        if kind < 7:
            group = self.rng.choice(ARITHMETIC)
            return binary(below(), choice(self.rng, group), below())
        if kind == 7:
            return plain("(", below(), " ", choice(self.rng, ["/", "%"]), " ((", below(), " & 7) + 1))")
        if kind == 8:
            return plain("((unsigned int)(", below(), ") ", choice(self.rng, ["<<", ">>"]), " (", below(), " & 15))")
        if kind == 9:
            return plain("((int)(", below(), ") >> ", constant(self.rng, [1, 2, 4, 31]), ")")
        if kind == 10:
            return plain("(", choice(self.rng, ["-", "~", "!", "+"]), below(), ")")
        if kind == 11:
            return plain("((", choice(self.rng, INTEGERS), ")", below(), ")")
        if kind == 12:
            return plain("(", below(), " ? ", below(), " : ", below(), ")")
        return self.special(scope, below)

    def special(self, scope, below):
        """An expression that few programs have."""
        rng = self.rng
        return rng.choice([
            lambda: plain("(int)sizeof(", choice(rng, ["@gs", "@gu", "@ga", "@gs.b", "@gc", "@gl", "@gb"]), ")"),
            lambda: plain("_Generic(", choice(rng, ["@gc", "@gl", "@g0", "@gs.b"]),
                          ", int: 1, char: 2, long: 3, unsigned char: 4, short: 5, default: 6)"),
            lambda: plain("(int)strlen(", choice(rng, ["@gb", "@gt"]), ")"),
            lambda: plain("(strcmp(@gb, ", choice(rng, ['"ab"', '"abc"', '"xyz"', '""', "@gt"]), ") ",
                          choice(rng, ["<", ">", "==", "!="]), " 0)"),
            lambda: plain("(memcmp(@ga, @gb4, ", choice(rng, ["4", "8", "16"]), ") ", choice(rng, ["<", ">", "=="]), " 0)"),
            lambda: plain("__builtin_popcount(", below(), ")"),
            lambda: plain("__builtin_clz((unsigned int)(", below(), ") | 1u)"),
            lambda: plain("__builtin_expect(", below(), ", ", choice(rng, ["0", "1"]), ")"),
            lambda: plain("(@gd ", choice(rng, ["<", ">", "<=", "!="]), " ", choice(rng, ["0.5", "1.25", "-2.0", "@gf"]), ")"),
            lambda: plain("(int)((float)(", below(), " & 255) * ", choice(rng, ["0.5f", "1.5f", "0.1f"]), ")"),
            lambda: plain("((int[]){", below(), ", ", below(), "})[", below(), " & 1]"),
            lambda: plain("({ int t_ = ", below(), "; t_ ", choice(rng, ["+", "-", "^"]), " ", below(), "; })"),
            lambda: plain("(int)((char *)&@gs.", choice(rng, ["b", "v", "p"]), " - (char *)&@gs)"),
            lambda: plain("(", choice(rng, ["@gp", "@gq"]), " == ", choice(rng, ["&@g0", "&@g1", "&@ga[1]", "@gq"]), ")"),
            lambda: plain("@gs.v[", below(), " & 1]"),
            lambda: plain("@gu.", choice(rng, ["b[0]", "b[1]", "b[3]", "w", "h.lo", "h.hi"])),
            lambda: plain("@ga[", below(), " & 3]"),
            lambda: plain("*(@ga + (", below(), " & 3))"),
            lambda: plain("(", choice(rng, ["@sp", "&@gs", "&@gr[1]"]), ")->", choice(rng, ["a", "b", "c", "d", "e"])),
            lambda: plain("*", choice(rng, ["@gp", "@gq", "*@pp"])),
            lambda: plain("(enum @en)", choice(rng, ["E0_", "E1_", "E2_"]).parts[0].replace("E", "@E")),
        ])()

    def call(self, scope):
        """A call with arguments, as an expression with side effects."""
        return self.rng.choice(scope.calls)(scope)

    # statements

    def body(self, scope, count):
        """Some statements."""
        return block([self.statement(scope) for _ in range(count)])

    def target(self, scope):
        """A place to write to."""
        return choice(self.rng, self.rng.sample(scope.writes, min(3, len(scope.writes))))

    def statement(self, scope):
        """Any statement."""
        kind = self.rng.randrange(22)
        if scope.depth > 0 and kind < 6:
            return self.nested(scope)
        if kind < 11:
            operator = choice(self.rng, ["=", "=", "+=", "-=", "^=", "|=", "&="])
            return statement(self.target(scope), " ", operator, " ", self.expression(scope), ";")
        if kind == 11:
            return statement(self.target(scope), choice(self.rng, ["++", "--"]), ";")
        if kind < 15 and scope.calls:
            return statement(self.target(scope), " = ", self.call(scope), ";")
        if kind == 15:
            return self.check(scope)
        return self.memory(scope)

    def check(self, scope):
        """A place that looks at a value."""
        node = Node("site", [], site=self.expression(scope, 1))
        self.sites.append(node)
        return node

    def nested(self, scope):
        """A statement with statements inside."""
        rng, inner = self.rng, scope.inner(depth=scope.depth - 1)
        below = lambda most=3: self.body(inner, rng.randrange(1, most))
        kind = rng.randrange(7)
        if kind == 0:
            return statement("if (", self.expression(scope), ") {\n", below(), "  }")
        if kind == 1:
            return statement("if (", self.expression(scope), ") {\n", below(), "  } else {\n", below(), "  }")
        if kind == 2:
            i = self.fresh("i")
            body = self.body(inner.inner(reads=[i]), rng.randrange(1, 3))
            leave = [fixed("if (", self.expression(scope), ") ", choice(rng, ["break", "continue"]), ";")] if self.one_in(3) else []
            return statement(f"for (int {i} = ", constant(rng, [0, 1]), f"; {i} ", choice(rng, ["<", "<="]), " ",
                             constant(rng, [1, 2, 3]), f"; {i}++) {{\n", *leave, body, "  }")
        if kind == 3:
            n, label = self.fresh("n"), self.fresh("l")
            return statement(f"{{ int {n} = 0; {label}: {n}++;\n", below(), f"  if ({n} < ", constant(rng, [1, 2, 3]), " && ",
                             self.expression(scope), f") goto {label}; }}")
        if kind == 4:
            label = self.fresh("l")
            return statement("{ if (", self.expression(scope), f") goto {label};\n", below(), f"  {label}: ; }}")
        if kind == 5:
            leave = lambda: choice(rng, ["break;", ";"])
            return statement("switch ((", self.expression(scope), ") & 7) {\n  case 0: ", below(2), leave(), "\n  case ",
                             choice(rng, ["1 ... 3", "1 ... 4", "2 ... 3"]), ":\n", below(2), leave(), "\n  case ",
                             choice(rng, ["5", "6"]), ":\n", below(2), leave(), "\n  default:\n", below(2), "  }")
        n = self.fresh("n")
        return statement(f"{{ int {n} = ", constant(rng, [1, 2, 3]), ";\n  do {\n", below(2), f"  }} while (--{n} > 0); }}")

    def memory(self, scope):
        """A statement on structs, pointers, strings."""
        rng, e = self.rng, lambda depth=1: self.expression(scope, depth)
        pointer = choice(rng, ["&@g0", "&@g1", "&@ga[0]", "&@ga[2]", *scope.targets])
        return rng.choice([
            lambda: statement(choice(rng, ["@gp", "@gq", "*@pp"]), " = ", pointer, ";"),
            lambda: statement("@pp = ", choice(rng, ["&@gp", "&@gq"]), ";"),
            lambda: statement("*", choice(rng, ["@gp", "@gq", "*@pp"]), " ", choice(rng, ["=", "+=", "^="]), " ", e(), ";"),
            lambda: statement("@gp = @ga + (", e(), " & 3);"),
            lambda: statement("@ga[", e(), " & 3] ", choice(rng, ["=", "-=", "|="]), " ", e(), ";"),
            lambda: statement("@sp = ", choice(rng, ["&@gs", "&@gr[0]", "&@gr[1]"]), ";"),
            lambda: statement("@sp->", choice(rng, ["a", "b", "c", "d", "e", "v[1]"]), " = ", e(), ";"),
            lambda: statement(choice(rng, ["@gs", "@gr[0]", "@gr[1]", "*@sp"]), " = ", choice(rng, ["@gs", "@gr[0]", "@gr[1]", "*@sp"]), ";"),
            lambda: statement("@gs = (struct @st){.", choice(rng, ["a", "b"]), " = ", e(), ", .", choice(rng, ["c", "d", "e"]), " = ", e(), "};"),
            lambda: statement("@gr[", e(), " & 1] = @make(", e(), ", ", e(), ");"),
            lambda: statement("@gu.", choice(rng, ["w", "b[0]", "b[2]", "h.lo", "h.hi"]), " = ", e(), ";"),
            lambda: statement("memcpy(", choice(rng, ["@ga, @gb4", "@gb4, @ga", "@ga + 1, @gb4", "@ga, @ga + 2"]), ", ", choice(rng, ["4", "8"]), ");")
            if self.one_in(2) else statement("memcpy(&@gs, &@gr[", choice(rng, ["0", "1"]), "], sizeof @gs);"),
            lambda: statement("memset(", choice(rng, ["@ga", "@gb4", "&@gu"]), ", ", choice(rng, ["0", "1", "255"]), ", ", choice(rng, ["1", "2", "4"]), ");"),
            lambda: statement("strcpy(@gb, ", choice(rng, ['"ab"', '"abc"', '"xyz"', '""', '"a\\0b"']), ");"),
            lambda: statement("@gb[", choice(rng, ["0", "1", "2"]), "] = ", choice(rng, ["'a'", "'b'", "'x'", "0", "'\\377'"]), ";"),
            lambda: statement("@gd = ", choice(rng, ["@gd", "@gf", "1.0"]), " ", choice(rng, ["+", "-", "*"]), " ", choice(rng, ["0.5", "@gf", "3.0", "0.1"]), ";"),
            lambda: statement("@gf = (", choice(rng, ["float", "double"]), ")((", e(), " & 63) ", choice(rng, ["*", "+", "/"]), " ", choice(rng, ["1.5", "0.1", "3.0"]), ");"),
            lambda: statement("@swap(", pointer, ", ", choice(rng, ["&@g0", "&@g1", "&@ga[3]"]), ");"),
            lambda: statement("if (__builtin_add_overflow((int)(", e(), "), (int)(", e(), "), ", pointer, ")) ", self.target(scope), " = ", e(), ";"),
            lambda: statement("@tp = ", choice(rng, ["@fa", "@fb", "@fc"]), ";"),
            lambda: statement("((unsigned char *)", choice(rng, ["&@g0", "@ga", "&@gs.a", "@gp"]), ")[", e(), " & 3] = ", e(), ";"),
            lambda: statement("{ unsigned long a_ = (unsigned long)", pointer, "; *(int *)a_ ", choice(rng, ["=", "+="]), " ", e(), "; }"),
            lambda: statement("{ long a_[2] = {(long)", pointer, ", (long)&@g1}; *(int *)a_[", e(), " & 1] = ", e(), "; }"),
            lambda: statement("for (const char *s_ = ", choice(rng, ["@gb", "@gt"]), "; *s_; s_++) ", self.target(scope), " += *s_;"),
            lambda: statement("{ int v_[3] = {[0 ... ", choice(rng, ["1", "2"]), "] = ", self.effect(scope), "}; ", self.target(scope),
                              " = v_[0] - v_[", e(), " & 1]; }"),
            lambda: statement("{ int n_ = (", e(), " & 3) + 1, v_[n_]; v_[n_ - 1] = ", e(), "; ", self.target(scope),
                              " = v_[n_ - 1] + (int)sizeof v_; }"),
            lambda: statement(self.target(scope), " = (", self.effect(scope), choice(rng, [", ", " && ", " || "]), e(), ");"),
            lambda: statement("if (__builtin_expect(", e(), ", 1)) ", self.target(scope), " = ", self.effect(scope), ";"),
            lambda: statement("{ struct @st *p_ = ", choice(rng, ["@gr", "&@gs", "@sp"]), "; struct @st s_ = *p_; p_->a++; ",
                              self.target(scope), " = s_.", choice(rng, ["a", "b", "d"]), "; }"),
            lambda: statement(self.target(scope), " = __builtin_", choice(rng, ["add", "sub", "mul"]), "_overflow((short)", e(), ", ", e(),
                              ", ", choice(rng, ["&@g0", "&@g1", "&@gs.a"]), ");"),
        ])()

    def effect(self, scope):
        """An expression with a side effect."""
        if scope.calls and self.one_in(2):
            return self.call(scope)
        return plain("(", choice(self.rng, ["@g0", "@g1", "@gv"]), choice(self.rng, [" += ", " = ", " ^= "]), self.leaf(scope), ")")

    # a program

    def program(self):
        """The whole program as one node; `sites` has its places for checks afterwards."""
        rng = self.rng
        globals_ = self.globals()
        reads = ["@g0", "@g1", "@gc", "@gl", "@gs.a", "@gs.b", "@gs.c", "@gs.d", "@gr[1].a", "@ga[1]", "@gv", "@gu.b[1]"]
        writes = ["@g0", "@g1", "@gc", "@gl", "@gs.a", "@gs.b", "@gs.c", "@gs.d", "@gr[1].e", "@ga[2]", "@gv"]
        scope = Scope(reads, writes, [], [])
        functions = [plain(
            "static struct @st @make(int x, int y) {\n  struct @st s = {", choice(rng, ["x, y", "y, x", "x"]), "};\n",
            block([statement("s.e = ", self.expression(Scope(["x", "y", "s.a", "s.b"], ["s.a"], [], []), 1), ";")]), "  return s;\n}\n",
            "static void @swap(int *x, int *y) {\n  int t = *x;\n", block([statement("*x = *y;"), statement("*y = t;")]), "}\n")]
        for name in ["@fa", "@fb", "@fc"]:
            functions.append(self.function(name, scope))
        table = choice(rng, ["@fa, @fb, @fc, @fa", "@fb, @fb, @fc, @fa", "@fc, @fa, @fb, @fb"])
        functions.append(plain("static int (*@tab[4])(int, int) = {", table, "};\n"))
        scope.calls = [
            lambda s: plain(choice(rng, ["@fa", "@fb", "@fc"]), "(", self.expression(s, 1), ", ", self.expression(s, 1), ")"),
            lambda s: plain("@tab[", self.expression(s, 1), " & 3](", self.expression(s, 1), ", ", self.leaf(s), ")"),
            lambda s: plain("@tp(", self.expression(s, 1), ", ", self.leaf(s), ")"),
        ]
        functions += [self.recursive(scope), self.variadic(scope), self.counting(scope)]
        scope.calls += [
            lambda s: plain("@rec(", self.expression(s, 1), ")"),
            lambda s: plain("@sum(2, (int)", self.leaf(s), ", (int)", self.expression(s, 1), ")"),
            lambda s: plain("@count(", self.expression(s, 1), ")"),
            lambda s: plain("@make(", self.leaf(s), ", ", self.leaf(s), ").", choice(rng, ["a", "b", "e"])),
        ]
        return plain(globals_, *functions, self.main(scope))

    def globals(self):
        """Types and objects of the file."""
        rng = self.rng
        width = lambda most: choice(rng, [str(n) for n in range(2, most)])
        integer = lambda: choice(rng, INTEGERS)
        start = lambda: constant(rng, [0, 1, 2, 3, 7, 100])
        volatile = choice(rng, ["volatile int", "int"])
        return plain(
            "enum @en { @E0_ = ", constant(rng, [0, 1, 4]), ", @E1_, @E2_ = ", constant(rng, [7, 9, -2]), " };\n",
            "struct @st { int a; ", integer(), " b; unsigned int c : ", width(9), "; int d : ", width(9), "; ", integer(),
            " e; ", choice(rng, ["int", "short"]), " v[2]; ", choice(rng, ["char", "long"]), " p; };\n",
            "union @un { unsigned int w; unsigned char b[4]; struct { unsigned short lo, hi; } h; };\n",
            "static int @g0 = ", start(), ", @g1;\nstatic ", integer(), " @gc = ", start(), ";\nstatic ", integer(), " @gl = ", start(), ";\n",
            "static ", volatile, " @gv = ", start(), ";\nstatic int @ga[4] = {", choice(rng, ["1, 2, 3, 4", "[2] = 5", "[0 ... 2] = 7", "0"]), "};\n",
            "static int @gb4[4] = {", choice(rng, ["4, 3", "1, 2, 3, 4", "0"]), "};\n",
            "static char @gb[8] = ", choice(rng, ['"ab"', '"abc"', '{0}']), ";\nstatic const char *@gt = ", choice(rng, ['"ab"', '"b"', '"xyz"']), ";\n",
            "static struct @st @gs = {", choice(rng, ["1, 2, 3", ".b = 3, .v = {1, 2}", "0", ".e = 1, 5"]), "}, @gr[2], *@sp = ", choice(rng, ["&@gs", "&@gr[1]"]), ";\n",
            "static union @un @gu = {", choice(rng, ["0x01020304u", "7", ".b = {1, 2, 3}"]), "};\n",
            "static double @gd = ", choice(rng, ["0.5", "2.0", "0.1"]), ";\nstatic float @gf = ", choice(rng, ["0.5f", "0.1f", "-1.0f"]), ";\n",
            "static int *@gp = ", choice(rng, ["&@g0", "&@g1", "@ga"]), ", *@gq = ", choice(rng, ["&@g0", "&@ga[1]"]), ", **@pp = ", choice(rng, ["&@gp", "&@gq"]), ";\n",
            "static int @fa(int, int), @fb(int, int), @fc(int, int), (*@tp)(int, int) = ", choice(rng, ["@fa", "@fb", "@fc"]), ";\n")

    def local(self, scope, parts):
        """Declares locals; returns the scope behind them."""
        names = []
        for _ in range(self.rng.randrange(3)):
            name = self.fresh("v")
            parts.append(fixed(choice(self.rng, INTEGERS), f" {name} = ", self.expression(scope, 1), ";"))
            names.append(name)
        return scope.inner(reads=names, writes=names)

    def function(self, name, scope):
        """A function of the table."""
        parts = []
        inner = self.local(scope.inner(reads=["x", "y"], writes=["x"], depth=1), parts)
        return plain(f"static int {name}(int x, int y) {{\n", *parts, self.body(inner, self.rng.randrange(1, 3)), "  return ",
                     self.expression(inner), ";\n}\n")

    def recursive(self, scope):
        """A recursive function with a static local."""
        rng, inner = self.rng, scope.inner(reads=["x", "keep", "mine"], writes=["keep", "mine"], depth=1)
        return plain("static int @rec(int x) {\n  ", choice(rng, ["static ", ""]), choice(rng, ["int", "unsigned char"]), " keep = ",
                     constant(rng, [0, 1, 5]), ";\n  int mine = ", self.leaf(scope), ";\n  x = x & 3;\n", self.body(inner, 1),
                     "  if (x > 0) mine += @rec(x - ", constant(rng, [1, 2]), " > 0 ? x - 1 : 0);\n", self.body(inner, 1), "  return ",
                     self.expression(inner, 1), ";\n}\n")

    def variadic(self, scope):
        """A variadic function that adds something up."""
        rng = self.rng
        step = plain("t = t ", choice(rng, ["+", "-", "^"]), " __builtin_va_arg(list, int)")
        return plain("static int @sum(int n, ...) {\n  __builtin_va_list list;\n  int t = ", constant(rng, [0, 1]), ";\n  __builtin_va_start(list, n);\n",
                     "  for (int i = 0; i < ", choice(rng, ["n", "1", "2"]), "; i++)\n    ", step, ";\n  __builtin_va_end(list);\n  return t;\n}\n")

    def counting(self, scope):
        """A function with static locals."""
        rng, inner = self.rng, scope.inner(reads=["n", "by"], writes=["n"], depth=1)
        return plain("static int @count(int by) {\n  ", choice(rng, ["static ", ""]), choice(rng, ["int", "short", "unsigned char"]), " n = ", constant(rng, [0, 3]),
                     ";\n", block([statement("n += by;")]), self.body(inner, 1), "  return n;\n}\n")

    def main(self, scope):
        """Reads the inputs, does something, looks at what came out."""
        rng, parts, names = self.rng, [], []
        for number in range(rng.randrange(1, 3)):
            name, kind = f"in{number}", rng.choice(list(INPUTS))
            parts.append(f"  {kind} {name} = {INPUTS[kind]}();\n  if ({name} < 0 || {name} > 3) abort();\n")
            names.append(name)
        self.inputs = len(names)
        inner = self.local(scope.inner(reads=names * 2), parts)
        local = self.fresh("m")
        parts.append(fixed(f"int {local} = ", self.expression(inner, 1), ";"))
        inner.targets = [f"&{local}"]
        inner = inner.inner(reads=[local], writes=[local])
        body = self.body(inner, rng.randrange(3, 8))
        ends = []
        seen = ["@g0", "@g1", "@gc", "@gl", "@gv", "@gs.a", "@gs.b", "@gs.c", "@gs.d", "@gs.e", "@gs.v[0]", "@gr[0].a", "@gr[1].a",
                "@gr[1].b", "@ga[0]", "@ga[1]", "@ga[2]", "@ga[3]", "@gb[0]", "@gb[1]", "@gu.b[0]", "@gu.w", "*@gp", "*@gq", local,
                "(@gd > 1.0)", "@sp->a"]
        for value in rng.sample(seen, 5):
            ends.append(Node("site", [], site=plain(value)))
            self.sites.append(ends[-1])
        return plain("int main(void) {\n".replace("main", "@main"), *parts, body, *ends, "  return 0;\n}\n")
