#!/usr/bin/env python3
"""What several clients of one library cost together: `residue clients` with k clients against k runs with one client each.

Makes a library of functions of which one or two change, so that some clients notice and others do not, and clients that call
them in different ways. CPU seconds are those of all processes, same binary, one after the other.

    python3 benchmarks/clients.py --bin target/release --out benchmarks/runs/DATE-clients
"""

import argparse
import csv
import random
import resource
import subprocess
import tempfile
from pathlib import Path

LIBRARY = """static int total;
int clamp(int v, int low, int high) {{ if (v < low) return low; if (v > high) return high; return v; }}
int scale(int v, int by) {{ int i, r = 0; if (by < 0 || by > 12) return 0; for (i = 0; i < by; i++) r += v; return {scale}; }}
int limit(int v) {{ int r = clamp(v, 0, {most}); {limit} return r; }}
int add(int v) {{ {add} return total; }}
int parity(unsigned v) {{ int p = 0; while (v) {{ p = !p; v &= v - 1; }} return p; }}
int middle(int a, int b, int c) {{ {middle} }}
"""
OLD = {
    "scale": "r", "most": "100", "limit": "if (r > 50) r = 50;", "add": "total = total + v;",
    "middle": "if (a < b) { if (b < c) return b; return a < c ? c : a; } if (a < c) return a; return b < c ? c : b;",
}
# The first and the last change nothing that anybody can see.
CHANGES = [
    {"limit": "if (r >= 51) r = 50;"},
    {"most": "40"},
    {"scale": "by > 10 ? r + 1 : r"},
    {"add": "if (v == 4) v = 3; total = v + total;"},
    {"middle": "int low = a < b ? a : b, high = a < b ? b : a; if (c < low) return low; if (c > high) return high; return c;"},
]
CLIENTS = [
    "int limit(int);\nint client(int x) {{ int r = limit(x); return r > {K} ? r - {K} : r; }}\n",
    "int scale(int, int);\nint client(int x, int n) {{ if (n > {S} || x > 100 || x < -100) return 0; return scale(x, n) + {K}; }}\n",
    "int add(int);\nint client(int n) {{ int i, r = 0; if (n < 0 || n > 3) return 0; for (i = 0; i < n; i++) r = add(i + {S}); return r; }}\n",
    "int middle(int, int, int);\nint client(int x, int y) {{ return middle(x, y, {K}); }}\n",
    "int clamp(int, int, int);\nint limit(int);\nint client(int x) {{ return limit(clamp(x, -{K}, {K})); }}\n",
    "int parity(unsigned);\nint client(unsigned x) {{ return parity(x & {K}u); }}\n",
]


def used(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{command}: {done.returncode}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def verdicts(text):
    return [line.split(": ")[1].split(" (")[0].split("(")[0] for line in text.splitlines() if ": " in line]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("target/release"))
    parser.add_argument("--steps", type=int, default=300000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tool = [str((options.bin / "residue").resolve()), "clients", f"--steps={options.steps}", "--library", "old.c", "--library", "new.c"]
    rows = []
    for number, change in enumerate(CHANGES):
        with tempfile.TemporaryDirectory() as name:
            folder, rng = Path(name), random.Random(options.seed * 1009 + number)
            (folder / "old.c").write_text(LIBRARY.format(**OLD))
            (folder / "new.c").write_text(LIBRARY.format(**{**OLD, **change}))
            files = []
            for client in range(options.most):
                text = CLIENTS[client % len(CLIENTS)].format(K=rng.randint(10, 90), S=rng.randint(2, 12))
                files.append(f"c{client}.c")
                (folder / files[-1]).write_text(text)
            alone = [used([*tool, file], folder) for file in files]
            k = 1
            while k <= options.most:
                together, text = used([*tool, *files[:k]], folder)
                single = sum(cpu for cpu, _ in alone[:k])
                apart = [word for _, said in alone[:k] for word in verdicts(said)]
                rows.append({
                    "change": number, "clients": k, "cpu_together": round(together, 3), "cpu_alone": round(single, 3),
                    "ratio": round(together / single, 3), "not_equivalent": apart.count("NOT EQUIVALENT"), "open": apart.count("UNKNOWN"),
                    "contradictions": int(verdicts(text) != apart),
                })
                print(rows[-1], flush=True)
                k = {1: 2, 2: 5, 5: 10, 10: 20}.get(k, 2 * k)
    with (options.out / "raw.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
