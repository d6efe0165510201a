// What the tests of reports and the screenshots share: where the tools are, checks that write reports, a browser.
//
// Environment: CHROMIUM (default /usr/bin/chromium), RESIDUE (default target/release/residue), RESIDUE_SHARED (tasks).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
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

// Runs a command of the driver and returns the name of its HTML report in a folder.
export function reportOf(command, folder, name, cwd, ...args) {
  const file = join(folder, `${name}.html`);
  try {
    execFileSync(residue, [command, "-q", "--report", file, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // Verdicts other than TRUE have their own exit codes, and so has an input of several that cannot be read.
    assert.ok([1, 2, 3].includes(error.status), `exit code ${error.status}`);
  }
  assert.ok(existsSync(file), `${name}.html is written`);
  return file;
}

export const report = (...args) => reportOf("check", ...args);

const git = (cwd, ...args) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd });

// A change of two files with assertions, some weaker, new, gone or violated; those of the second file cannot be decided.
export function assertions(folder) {
  const here = join(folder, "assertions");
  mkdirSync(here);
  const write = (name, limit, rest) => writeFileSync(join(here, name), `#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int level = __VERIFIER_nondet_int(), given = __VERIFIER_nondet_int();
    if (level < 0 || level > 100)
        return 0;
    level = level + 20;
    assert(level >= 20 && level <= ${limit});
    ${rest.join("\n    ")}
    return 0;
}
`);
  git(here, "init", "-q");
  write("levels.c", 120, ["assert(level != 7);", "assert(level < 121);"]);
  write("valves.c", 120, []);
  git(here, "add", "-A");
  git(here, "commit", "-qm", "levels");
  write("levels.c", 130, ["assert(level != 119);", "assert(level < 121 || given > level);"]);
  write("valves.c", 120, ["__asm__ volatile (\"frobnicate\" : \"+r\"(given));", "assert(given <= 7);"]);
  git(here, "commit", "-qam", "other levels");
  return reportOf("properties", folder, "properties", here, "--steps", "200000", "--git", "HEAD~1..HEAD");
}

// A ring buffer of eight commits: broken, repaired, broken and repaired again.
export function invariants(folder) {
  const here = join(folder, "ring");
  mkdirSync(here);
  git(here, "init", "-q");
  for (let version = 1; version <= 8; version++) {
    copyFileSync(join(root, `tools/invdiff/demo/ring${version}.c`), join(here, "ring.c"));
    git(here, "add", "-A");
    git(here, "commit", "-qm", `version ${version}`);
  }
  const facts = ["len <= 16", "head >= 0 && head < 16"].flatMap((fact) => ["--of", fact]);
  return reportOf("invariants", folder, "invariants", here, "--git", "HEAD~7..HEAD", "--at", "label:step", ...facts, "--steps", "200000", "ring.c");
}

// Clients of a library: one notices its change, one does not, of one nothing is known, one cannot be read.
export function clients(folder) {
  const here = join(folder, "clients");
  mkdirSync(here);
  for (const file of ["old.c", "new.c", "volume.c", "zoom.c"]) copyFileSync(join(root, "tools/cse/demo", file), join(here, file));
  const volume = readFileSync(join(here, "volume.c"), "utf8");
  writeFileSync(join(here, "open.c"), volume.replace(/\{\n/, "{\n    __asm__ volatile (\"frobnicate\" ::: \"memory\");\n"));
  writeFileSync(join(here, "torn.c"), "int main(void) { return scale(; }\n");
  const library = ["--library", "old.c", "--library", "new.c", "--steps", "400000"];
  return reportOf("clients", folder, "clients", here, ...library, "volume.c", "zoom.c", "open.c", "torn.c");
}

// A change of thirty files of a repository: most keep their property, some lose it, some cannot be decided.
export function thirtyUnits(folder) {
  const here = join(folder, "repository");
  mkdirSync(join(here, "src/queues"), { recursive: true });
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
  git(here, "init", "-q");
  write((i) => [i + 10, ""]);
  git(here, "add", "-A");
  git(here, "commit", "-qm", "limits of thirty parts");
  // A limit too high, one lower, and one that assembly changes, of which nothing is known.
  write((i) => i % 7 === 3 ? [i + 11, ""] : i % 11 === 5 ? [i + 9, ""] : [i + 9, `/* part ${i} */`]);
  names.forEach((name, i) => {
    if (i % 11 !== 5) return;
    const unknown = text(i, i + 10, "").replace("int level", "__asm__ volatile (\"frobnicate\" ::: \"memory\");\n    int level");
    writeFileSync(join(here, name), unknown);
  });
  git(here, "commit", "-qam", "tighten the limits");
  return report(folder, "thirty", here, "--git", "HEAD~1..HEAD");
}
