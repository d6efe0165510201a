#!/usr/bin/env python3
"""A picture of what looking at versions together saves, as SVG, made of recorded runs of `versions.py` and of nothing else.

  benchmarks/sharing.py benchmarks/runs/2026-11-23-versions/raw.csv -o benchmarks/runs/2026-11-23-versions/sharing.svg
"""

import argparse
import csv
import math
from pathlib import Path

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 340, 60, 50, 20, 150
LINES = [("share of queries", "#1f5fa8"), ("share of cpu", "#b4511a")]


def picture(rows):
    counts = [int(row["versions"]) for row in rows]
    low, high = math.log2(min(counts)), math.log2(max(counts))
    across = lambda count: LEFT + (math.log2(count) - low) / max(high - low, 1) * (WIDTH - LEFT - RIGHT)
    most = max(1.0, *(float(row[name]) for row in rows for name, _ in LINES))
    up = lambda share: HEIGHT - BOTTOM - share / most * (HEIGHT - BOTTOM - TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for step in range(int(most * 5) + 1):
        y, edge = up(step / 5), WIDTH - RIGHT
        parts.append(f'<line x1="{LEFT}" x2="{edge}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step / 5:.1f}</text>')
    for count in counts:
        parts.append(f'<text x="{across(count):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{count}</text>')
    for name, color in LINES:
        points = [(across(count), up(float(row[name]))) for count, row in zip(counts, rows)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in points]
        parts.append(f'<text x="{points[-1][0] + 10:.1f}" y="{points[-1][1] + 4:.1f}" fill="{color}">{name}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">versions, together / alone</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, help="the CSV file of versions.py")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with options.runs.open(newline="") as file:
        options.output.write_text(picture(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
