"""Random programs with blocks on the heap and on the stack, each with one kind of mistake that it may make.

Every program reads one number from 0 to 4. Accesses miss their block by a few bytes at most, so that the address sanitizer
sees all of them; a block on the stack is not used behind its end, which it does not see.
"""
import random

HEAD = """#include <stdlib.h>
#include <alloca.h>
extern int __VERIFIER_nondet_int(void);
static char *kept;
static void put(char *to, int at) { to[at] = 1; }
static char *other(int size) { return malloc(size); }
"""


class Blocks:
    """The text of a program so far, and which blocks it has."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.prop = self.rng.choice(["valid-deref", "valid-deref", "valid-free", "valid-memtrack"])
        self.lines = []
        self.blocks = []

    def number(self):
        return self.rng.choice(["n", "n + 1", "n + 2", "2 * n + 1", "3", "n ? n : 2"])

    def block(self):
        """Declares a block."""
        name = f"b{len(self.blocks)}"
        on_heap = self.prop == "valid-memtrack" or self.rng.randrange(3) == 0
        kind = self.rng.choice(["malloc", "other", "realloc"] if on_heap else ["array", "alloca"])
        size = self.number()
        if any(other == "array" for _, other, _ in self.blocks) and kind == "alloca":
            kind = "array"
        if any(other == "alloca" for _, other, _ in self.blocks) and kind == "array":
            kind = "alloca"
        text = {
            "malloc": f"char *{name} = malloc({size});",
            "other": f"char *{name} = other({size});",
            "realloc": f"char *{name} = realloc(malloc(2), {size});",
            "array": f"char {name}[{size}];",
            "alloca": f"char *{name} = alloca({size});",
        }[kind]
        self.lines.append(text)
        self.blocks.append((name, kind, size))

    def access(self):
        """Writes to a block, near its end."""
        name, kind, size = self.rng.choice(self.blocks)
        if self.prop == "valid-deref":
            at = self.rng.choice(["0", "n", "n - 1", "1", f"({size}) - 1", f"({size})", "2", f"({size}) - 2"])
            guard = self.rng.choice(["", f"if ({at} < ({size}) && {at} >= 0) ", f"if ({at} >= 0) ", "if (n > 1) "])
        else:
            at, guard = f"({size}) - 1", f"if (({size}) > 0) "
        write = self.rng.choice([f"{name}[{at}] = 2;", f"put({name}, {at});", f"*({name} + ({at})) = 3;"])
        loop = f"for (int i = 0; i < ({size}); i++) {name}[i] = 0;"
        if kind == "realloc" and "n" in size:
            guard = f"if ({name}) " + guard
        self.lines.append(guard + (write if self.rng.randrange(4) else loop))

    def again(self):
        """Moves a block on the heap."""
        for number, (name, kind, _) in enumerate(self.blocks):
            if kind in ("malloc", "other", "realloc") and self.rng.randrange(2):
                size = self.number()
                self.lines.append(f"{name} = realloc({name}, {size});")
                self.blocks[number] = (name, "realloc", size)

    def end(self):
        """Gives blocks back, rightly or not."""
        for name, kind, _ in self.blocks:
            on_heap = kind in ("malloc", "other", "realloc")
            mistake = self.rng.randrange(3) == 0
            if self.prop == "valid-free" and mistake and not on_heap:
                self.lines.append(f"if (n == {self.rng.randrange(6)}) free({name});")
            elif self.prop == "valid-memtrack" and mistake:
                self.lines.append(f"if (n < {self.rng.randrange(1, 6)}) free({name});")
                if self.rng.randrange(2):
                    self.lines.append(f"else kept = {name};")
            elif on_heap:
                self.lines.append(f"free({name});")
                if self.prop == "valid-free" and mistake:
                    self.lines.append(f"if (n == {self.rng.randrange(6)}) free({name});")


def program(seed):
    """The property of a random program, and its text."""
    made = Blocks(seed)
    for _ in range(made.rng.randrange(1, 4)):
        made.block()
    for _ in range(made.rng.randrange(1, 4)):
        made.access()
    if made.rng.randrange(2):
        made.again()
        made.access()
    made.end()
    body = "\n".join(f"  {line}" for line in made.lines)
    return made.prop, (f"{HEAD}static int run(int n) {{\n{body}\n  return 0;\n}}\n"
                       "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0 || n > 4) return 0;\n  return run(n);\n}\n")
