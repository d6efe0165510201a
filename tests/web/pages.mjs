// What the tests of reports and the screenshots share: where the tools are, checks that write reports, a browser.
//
// Environment: CHROMIUM (default /usr/bin/chromium), RESIDUE (default target/release/residue), RESIDUE_SHARED (tasks).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const demo = join(root, "pipelines/demo");
const residue = process.env.RESIDUE ?? join(target, "release/residue");
const shared = process.env.RESIDUE_SHARED ?? join(root, "../shared");
// The largest pair of the tasks, two revisions of a driver.
const largest = join(shared, "tasks/pairs/regression/regression-010.yml");
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const largestPair = existsSync(largest) ? largest : null;

export async function launch() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}

// Runs a check and returns the name of its HTML report in a folder.
export function report(folder, name, cwd, ...args) {
  const file = join(folder, `${name}.html`);
  try {
    execFileSync(residue, ["check", "-q", "--report", file, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  } catch (error) {
    // Verdicts other than TRUE have their own exit codes.
    assert.ok([1, 3].includes(error.status), `exit code ${error.status}`);
  }
  return file;
}

// A change of thirty files of a repository: most keep their property, some lose it, some cannot be decided.
export function thirtyUnits(folder) {
  const here = join(folder, "repository");
  mkdirSync(join(here, "src/queues"), { recursive: true });
  const git = (...args) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: here });
  const text = (number, limit, extra) => `extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
${extra}
static int clamp${number}(int value) {
    if (value > ${limit})
        return ${limit};
    return value;
}

int main(void) {
    int level = clamp${number}(__VERIFIER_nondet_int());
    if (level > ${number + 10})
        reach_error();
    return 0;
}
`;
  const names = Array.from({ length: 30 }, (_, i) => `src/${i % 3 ? "queues/" : ""}part_${String(i + 1).padStart(2, "0")}.c`);
  const write = (change) => names.forEach((name, i) => writeFileSync(join(here, name), text(i, ...change(i))));
  git("init", "-q");
  write((i) => [i + 10, ""]);
  git("add", "-A");
  git("commit", "-qm", "limits of thirty parts");
  // A limit too high, one lower, and one that assembly changes, of which nothing is known.
  write((i) => i % 7 === 3 ? [i + 11, ""] : i % 11 === 5 ? [i + 9, ""] : [i + 9, `/* part ${i} */`]);
  names.forEach((name, i) => {
    if (i % 11 !== 5) return;
    const unknown = text(i, i + 10, "").replace("int level", "__asm__ volatile (\"frobnicate\" ::: \"memory\");\n    int level");
    writeFileSync(join(here, name), unknown);
  });
  git("commit", "-qam", "tighten the limits");
  return report(folder, "thirty", here, "--git", "HEAD~1..HEAD");
}
