#!/usr/bin/env python3
"""Random triples of a client and two versions of its library, with the truth by all runs: gcc builds both, and runs them on all inputs.

A client passes what it makes of two numbers of 0 to 7, so that there are 64 inputs. Libraries have variables that are seen and
others that are not, loops, divisions, arithmetic that may not fit, and events. The second version is the first with an edit that
changes something, or with one that means the same. What is not defined traps and is an outcome of its own.

Appends to --out a line per run: seed, triples, equal and different ones by truth, undecided, wrong.

    python3 benchmarks/triples.py --bin target/release --seed 1 --count 200 --out benchmarks/runs/DATE-triples/raw.csv
"""

import argparse
import pathlib
import random
import re
import subprocess
import tempfile

TOGETHER = 20
FLAGS = ["-std=gnu11", "-w", "-O0", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error"]
DRIVER = """
static char seen[65536]; static int at;
static void say(const char *what, long long v) { at += sprintf(seen + at, "%s%lld ", what, v); }
"""


class Texts:
    """Texts of one triple."""

    def __init__(self, draw):
        self.draw = draw

    def value(self, names, depth=2):
        draw = self.draw
        if depth == 0 or draw.random() < 0.25:
            return draw.choice(names + [str(draw.randint(0, 9))])
        a, b = self.value(names, depth - 1), self.value(names, depth - 1)
        form = draw.choice(["({} + {})", "({} - {})", "({} * {})", "({} & {})", "({} | {})", "({} ^ {})", "({} < {})", "({} == {})",
                            "({} / (({} & 3) + 1))", "({} % (({} & 7) + 1))", "({} / {})", "({} << ({} & 3))", "({} > {} ? 1 : 5)"])
        return form.format(a, b)

    def statements(self, names, depth=2):
        draw, out = self.draw, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            target = draw.choice(["r", "t", "s", "g"])
            if kind < 0.45 or depth == 0:
                out.append(f"{target} = {self.value(names)};")
            elif kind < 0.65:
                other = f" else {{ {self.statements(names, depth - 1)} }}" if draw.random() < 0.5 else ""
                out.append(f"if ({self.value(names)}) {{ {self.statements(names, depth - 1)} }}{other}")
            elif kind < 0.78:
                i = f"i{depth}"
                out.append(f"for (int {i} = 0; {i} < ({self.value(names, 1)} & 3); {i}++) {{ {self.statements(names + [i], depth - 1)} }}")
            elif kind < 0.86:
                out.append(f"r = r + h({self.value(names, 1)});")
            elif kind < 0.93:
                out.append(f"tell({self.value(names, 1)});")
            else:
                out.append(f"if ({self.value(names)}) return {self.value(names, 1)};")
        return " ".join(out)

    def library(self):
        names = ["a", "b", "r", "t", "s", "g"]
        return (f"int g; static int s = {self.draw.randint(0, 2)}; void tell(int);\n"
                f"static int h(int a) {{ return {self.value(['a', 's'])}; }}\n"
                f"int lib(int a, int b) {{ int r = 0, t = 1; {self.statements(names)} return {self.value(names)}; }}\n")

    def client(self):
        draw = self.draw
        given = lambda: self.value(["x", "y"], 1)
        second = f" n = lib({given()}, {given()}) {draw.choice('+^&')} n;" if draw.random() < 0.5 else ""
        guard = f"if ({self.value(['x', 'y'], 1)}) " if draw.random() < 0.4 else ""
        hides = draw.choice(["n", "n", "n & 1", "n > 3", "n % 8", "0"])
        return ("int lib(int, int);\nint client(int x, int y) { int n = 0; x = x & 7; y = y & 7; "
                f"{guard}n = lib({given()}, {given()});{second} return {hides}; }}\n")

    def edited(self, text):
        """Another version: with luck one that means the same."""
        draw, start = self.draw, text.index("t = 1;") + len("t = 1;")
        same = [(r"\((\w+) \* 2\)", r"(\1 + \1)"), (r"\((\w+) \+ (\w+)\)", r"(\2 + \1)"), (r"\((\w+) & (\w+)\)", r"(\2 & \1)"),
                (r"\((\w+) == (\w+)\)", r"!(\1 != \2)"), (r"\((\w+) < (\w+)\)", r"(\2 > \1)"), (r"if \((\w+)\)", r"if (!(\1 == 0))"),
                (r"\((\w+) \^ (\w+)\)", r"((\1 | \2) & ~(\1 & \2))"), (r"r = r \+ (h\([^;]*\));", r"r += \1;"),
                (r"\((\w+) \| (\w+)\)", r"((\1 & ~\2) + \2)")]
        other = [(r"\b(\d)\b", lambda m: str(int(m[1]) + 1)), (r" \+ ", " - "), (r" < ", " <= "), (r" & ", " | "), (r"\bs = ", "g = "),
                 (r"\bt = ", "s = "), (r"return (\w+);", r"return \1 + 1;"), (r"tell\(", "(void)("), (r"\ba\b", "b"), (r" \* ", " + ")]
        for _ in range(40):
            pattern, to = draw.choice(same if draw.random() < 0.25 else other)
            places = list(re.finditer(pattern, text[start:]))
            if places:
                place = draw.choice(places)
                new = place.expand(to) if isinstance(to, str) else to(place)
                changed = text[:start + place.start()] + new + text[start + place.end():]
                if changed != text:
                    return changed
        return text[:start] + text[start:].replace("return", "return 0 +", 1)


def renamed(text, tail):
    return re.sub(r"\b(g|s|h|lib|client|tell)\b", rf"\1_{tail}", text)


def truths(triples, folder):
    """EQ or NEQ for each triple, by all runs."""
    parts, calls = ["#include <stdio.h>\n#include <unistd.h>\n#include <signal.h>\n#include <stdlib.h>\n", DRIVER], []
    for number, (client, *versions) in enumerate(triples):
        for side, library in enumerate(versions):
            tail = f"{number}_{side}"
            parts.append(renamed(f"static void tell(int v) {{ say(\"e\", v); }}\n" + library.replace("void tell(int);", "") + client, tail))
        calls.append(f"case {number}: say(\"r\", side ? client_{number}_1(x, y) : client_{number}_0(x, y)); "
                     f"say(\"g\", side ? g_{number}_1 : g_{number}_0); break;")
    parts.append("static void trap(int n) { _exit(3); }\nint main(int c, char **v) { for (int k = 0; k < " + str(len(triples)) +
                 "; k++) for (int i = 0; i < 64; i++) for (int side = 0; side < 2; side++) { int p[2]; pipe(p); if (!fork()) {"
                 " signal(SIGILL, trap); signal(SIGFPE, trap); signal(SIGTRAP, trap); int x = i & 7, y = i >> 3; switch (k) {" +
                 "\n".join(calls) + "} write(p[1], seen, at); _exit(0); } int status; close(p[1]); static char b[65536];"
                 " int n = 0, m; while ((m = read(p[0], b + n, sizeof b - 1 - n)) > 0) n += m; b[n] = 0; close(p[0]); wait(&status);"
                 " printf(\"%d %d %d %s\\n\", k, i, side, status ? \"trap\" : b); } return 0; }\n")
    source, program = folder / "all.c", folder / "all"
    source.write_text("".join(parts).replace("#include <stdlib.h>\n", "#include <stdlib.h>\n#include <sys/wait.h>\n", 1))
    subprocess.run(["gcc", *FLAGS, "-o", program, source], check=True)
    said = {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        k, i, side, rest = line.split(" ", 3)
        said[int(k), int(i), int(side)] = rest
    differs = lambda k, i: said[k, i, 0] != "trap" and said[k, i, 0] != said[k, i, 1]
    return ["NEQ" if any(differs(k, i) for i in range(64)) else "EQ" for k in range(len(triples))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for first in range(arguments.seed, arguments.seed + arguments.count, TOGETHER):
            triples = []
            for number in range(first, first + TOGETHER):
                texts = Texts(random.Random(number))
                library = texts.library()
                triples.append((texts.client(), library, texts.edited(library)))
            counts = {"EQ": 0, "NEQ": 0, "open": 0, "wrong": 0}
            for number, (triple, truth) in enumerate(zip(triples, truths(triples, folder))):
                for name, text in zip(("client.c", "old.c", "new.c"), triple):
                    (folder / name).write_text(text)
                command = [str(arguments.bin.resolve() / "cse"), "-q", "--budget", str(arguments.limit), "--client", "client.c", "old.c", "new.c"]
                code = subprocess.run(command, cwd=folder, capture_output=True).returncode
                found = {0: "EQ", 1: "NEQ", 3: "open"}.get(code, f"exit {code}")
                counts[truth] += 1
                if found == "open":
                    counts["open"] += 1
                elif found != truth:
                    counts["wrong"] += 1
                    print(f"seed {first + number}: {found}, but {truth}\n" + "\n".join(triple), flush=True)
            with arguments.out.open("a") as out:
                out.write(f"{first},{len(triples)},{counts['EQ']},{counts['NEQ']},{counts['open']},{counts['wrong']}\n")


if __name__ == "__main__":
    main()
