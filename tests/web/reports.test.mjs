// Opens reports in a headless Chromium: no message on the console, no request but for the page itself, marks, stepping and
// zoom work, and the essentials are there without a script.
//
// Environment: that of pages.mjs, and SCREENSHOTS (a folder that gets pictures of the pages).
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertions, chromiumPath, clients, demo, invariants, largestPair, launch, report as reportIn, target, thirtyUnits } from "./pages.mjs";

const skip = (reason) => {
  mkdirSync(target, { recursive: true });
  appendFileSync(join(target, "skipped.txt"), `skipped: ${reason}\n`);
  return reason;
};
const noBrowser = existsSync(chromiumPath) ? false : skip(`Chromium is missing: ${chromiumPath}`);
const noTasks = largestPair ? false : skip("tasks are missing: tasks/pairs (set RESIDUE_SHARED)");

let browser;
const folder = mkdtempSync(join(tmpdir(), "residue-web-"));

before(async () => {
  if (noBrowser) return;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const report = (name, cwd, ...args) => reportIn(folder, name, cwd, ...args);

// Opens a page and fails on anything it says or asks for.
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1000 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  const address = pathToFileURL(file).href;
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:")) complaints.push(`request: ${url}`);
  });
  await page.goto(address, { timeout: 120_000 });
  return { page, done: async (name) => {
    if (process.env.SCREENSHOTS && name) {
      mkdirSync(process.env.SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: name !== "driver", timeout: 120_000 });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  } };
}

test("a regression can be stepped through", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("regression", demo, "original.c", "regression.c"));
  assert.match(await page.locator(".verdict").textContent(), /FALSE\(unreach-call\)/);
  assert.match(await page.locator("h2").textContent(), /regression at regression\.c:123/);
  // The last statement of the change is where one begins to look; the first changed step is shown.
  assert.equal(await page.locator("tr.now").count(), 1);
  const first = await page.locator(".now").last().textContent();
  assert.match(first, /limit_level:57 /);
  await page.getByRole("button", { name: "next ▶" }).click();
  assert.notEqual(await page.locator(".run .now").textContent(), first);
  await page.locator(".run").focus();
  await page.keyboard.press("End");
  const text = await page.locator(".run p.now").textContent();
  assert.match(text, /check_level:123 .*reach_error/);
  assert.equal(await page.locator("tr.now").getAttribute("id"), "u1-L123");
  const [step, list] = [await page.locator("li.now-step").boundingBox(), await page.locator(".steps").boundingBox()];
  assert.ok(step.y >= list.y - 1 && step.y + step.height <= list.y + list.height + 1, "the step is in sight in the list");
  assert.ok(await page.locator("tr.now").isVisible());
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator(".run p.now").textContent(), /check_level:122 /);
  await page.keyboard.press("Home");
  assert.match(await page.locator(".run p.now").textContent(), /^step 1 of /);
  assert.ok((await page.locator(".watch tr").count()) >= 0);
  await page.locator(".steps li").nth(40).click();
  assert.match(await page.locator(".run p.now").textContent(), /^step 41 of /);
  await done("regression");
});

test("values are those of the execution", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("values", demo, "original.c", "regression.c"));
  await page.locator(".run").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  const rows = await page.locator(".watch tr").allTextContents();
  const level = rows.map((row) => /^tank\.level(-?\d+)$/.exec(row)).find(Boolean);
  assert.ok(level && Number(level[1]) > 100, `the level is above the rim: ${rows}`);
  await done();
});

test("marks and reasons", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("marks", demo, "original.c", "regression.c"));
  assert.ok((await page.locator("td.m.recheck").count()) > 30);
  assert.ok((await page.locator("td.m.cause").count()) >= 1);
  const why = page.locator("details.why").first();
  await page.locator("#u1-L123").scrollIntoViewIfNeeded();
  await why.locator("summary").click();
  assert.match(await why.locator("div").textContent(), /new-violation/);
  assert.ok(await why.locator("div").isVisible());
  await page.locator("h1").click();
  assert.ok(!(await why.locator("div").isVisible()));
  await done();
});

test("graphs zoom and move", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("zoom", demo, "original.c", "regression.c"));
  const figure = page.locator(".graph").first();
  const view = async () => (await figure.locator("svg").getAttribute("viewBox")).split(" ").map(Number);
  const start = await view();
  await figure.locator("[data-zoom=in]").click();
  const near = await view();
  assert.ok(near[2] < start[2], "closer");
  await figure.locator(".canvas").focus();
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  assert.ok((await view())[2] > near[2], "farther");
  await figure.locator("[data-zoom=fit]").click();
  const box = await figure.locator(".canvas").boundingBox();
  const before = await view();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 130);
  await page.mouse.up();
  const moved = await view();
  assert.ok(moved[0] < before[0] && moved[1] < before[1], "moved with the pointer");
  await page.mouse.wheel(0, -200);
  await page.waitForFunction(([id, width]) => Number(document.getElementById(id).getAttribute("viewBox").split(" ")[2]) < width,
    [await figure.locator("svg").getAttribute("id"), moved[2]]);
  assert.ok((await figure.locator(".nodes > g").count()) > 10);
  await done();
});

test("a proof says what it covers", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("refactoring", demo, "original.c", "refactored.c"));
  assert.match(await page.locator(".verdict").textContent(), /TRUE/);
  assert.equal(await page.locator(".run").count(), 0);
  assert.ok((await page.locator("td.a").count()) > 3);
  assert.ok((await page.locator(".columns li").count()) >= 3, "assumptions are listed");
  await done("refactoring");
});

test("several units have one page", { skip: noBrowser }, async () => {
  const text = "extern void reach_error(void);\n/* </script><script>throw 1</script> */\n" +
    "int f(int a) { if (a == LIMIT) reach_error(); return a; }\nint g(int a) { return a & 1; }\nint main(void) { return f(3); }\n";
  writeFileSync(join(folder, "<i>old.c"), text.replace("LIMIT", "1"));
  writeFileSync(join(folder, "new&.c"), text.replace("LIMIT", "2"));
  const { page, done } = await open(report("units", folder, "--entry", "main,f,g", "<i>old.c", "new&.c"));
  assert.equal(await page.locator("table.units tbody tr").count(), 3);
  assert.equal(await page.locator("article").count(), 3);
  await page.locator("table.units a").nth(1).click();
  assert.ok(await page.locator("#unit-2 .banner").isVisible());
  assert.equal(await page.locator("i", { hasText: "old.c" }).count(), 0);
  await done("units");
});

test("a driver has a small page", { skip: noBrowser || noTasks }, async () => {
  const file = report("driver", folder, "--budget", "10", "--task", largestPair);
  assert.ok(statSync(file).size < 8 << 20);
  const { page, done } = await open(file);
  const rows = await page.locator(".diff tr").count();
  assert.ok(rows > 5 && rows < 4_000, `a page of ${rows} rows opens at once`);
  assert.ok((await page.locator(".graph").count()) >= 1);
  // What matters is in sight, and no link goes nowhere.
  const causes = page.locator("td.m.cause");
  const first = ((await causes.count()) ? causes : page.locator("td.a, td.o")).first();
  const [box, code] = [await first.boundingBox(), await page.locator(".code").boundingBox()];
  assert.ok(box.y > code.y && box.y < code.y + code.height, "the first cause or change is in sight");
  const dead = await page.evaluate(() => Array.from(document.querySelectorAll(".causes a[href^='#']"))
    .filter((link) => !document.getElementById(link.getAttribute("href").slice(1))).map((link) => link.outerHTML));
  assert.deepEqual(dead, []);
  await done("driver");
});

test("a change of a header is shown beside the program", { skip: noBrowser }, async () => {
  for (const [version, rim] of [["v1", 100], ["v2", 120]]) {
    mkdirSync(join(folder, version), { recursive: true });
    writeFileSync(join(folder, version, "limits.h"), `#define RIM ${rim}\nstatic int clamp(int level) {\n    return level > RIM ? RIM : level;\n}\n`);
    writeFileSync(join(folder, version, "tank.c"), "#include \"limits.h\"\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n" +
      "int main(void) {\n    int level = clamp(__VERIFIER_nondet_int());\n    if (level > 100)\n        reach_error();\n    return 0;\n}\n");
  }
  const { page, done } = await open(report("header", folder, "v1/tank.c", "v2/tank.c"));
  assert.equal(await page.locator("table.diff").count(), 2);
  assert.match(await page.locator("#u1-f1-L1").textContent(), /RIM 100.*RIM 120/);
  assert.ok((await page.locator("#u1-f1-L1 td.m.recheck, #u1-f1-L1 td.m.cause").count()) === 1);
  assert.match(await page.locator(".run .now").first().textContent(), /clamp:3 /);
  assert.equal(await page.locator("tr.now").getAttribute("id"), "u1-f1-L3");
  assert.match(await page.locator("tr.now .use").textContent(), /RIM has another definition: v2\/limits\.h:1/);
  await page.locator(".run").focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("tr.now").getAttribute("id"), "u1-L7");
  assert.ok(await page.locator("tr.now").isVisible());
  await done("header");
});

test("the essentials need no script", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("plain", demo, "original.c", "regression.c"), { javaScriptEnabled: false });
  assert.ok(await page.locator(".steps li").first().isVisible());
  assert.ok(await page.locator("#u1-L10").isVisible(), "nothing is folded");
  assert.ok(await page.locator(".graph svg").first().isVisible());
  assert.ok(!(await page.locator(".stepper").isVisible()));
  await done("plain");
});

test("names and roles are there for assistive technology", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("names", demo, "original.c", "regression.c"));
  const unnamed = await page.evaluate(() => Array.from(document.querySelectorAll("button, a[href], input, summary"))
    .filter((element) => !element.closest("[hidden]") && !(element.textContent.trim() || element.getAttribute("aria-label")))
    .map((element) => element.outerHTML));
  assert.deepEqual(unnamed, []);
  const unmarked = await page.evaluate(() => Array.from(document.querySelectorAll("td.m.covered, td.m.recheck, td.m.cause"))
    .filter((cell) => !cell.textContent.trim()).length);
  assert.equal(unmarked, 0, "marks are told apart without colour");
  const ids = await page.evaluate(() => { const all = Array.from(document.querySelectorAll("[id]"), (e) => e.id); return all.length - new Set(all).size; });
  assert.equal(ids, 0, "identifiers are unique");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  await done();
});

test("of many units the worst comes first, and one finds what one looks for", { skip: noBrowser }, async () => {
  const { page, done } = await open(thirtyUnits(folder));
  const counts = (await page.locator(".counts li:not(.search)").allTextContents()).map((text) => text.trim());
  assert.deepEqual(counts, ["4 with a regression", "3 undecided", "23 without a regression"]);
  const verdicts = await page.locator("table.units tbody tr").evaluateAll((rows) => rows.map((row) => row.dataset.class));
  assert.deepEqual(verdicts, [...verdicts].sort((a, b) => ["regression", "undecided", "no-regression"].indexOf(a) - ["regression", "undecided", "no-regression"].indexOf(b)));
  const names = await page.locator("table.units td:first-child").allTextContents();
  assert.ok(names.every((name) => /^src\/(queues\/)?part_\d+\.c$/.test(name)), `names are relative to the repository: ${names}`);
  const shown = () => page.locator("table.units tbody tr:visible").count();
  await page.getByRole("searchbox").fill("queues part_1");
  assert.ok((await shown()) > 3 && (await shown()) < 10);
  assert.match(await page.locator(".found").textContent(), /of 30 shown/);
  assert.equal(await page.locator("article:not([hidden])").count(), await shown());
  await page.getByRole("searchbox").fill("");
  await page.getByLabel("23 without a regression").uncheck();
  assert.equal(await shown(), 7);
  // An UNKNOWN leads to the line that is not understood.
  const link = page.locator("table.units tr.is-undecided td:nth-child(2) a").first();
  assert.match(await link.textContent(), /inline assembly, src\/part_28\.c:11/);
  await link.click();
  const row = page.locator(await link.getAttribute("href"));
  assert.match(await row.textContent(), /__asm__ volatile.*unsupported: inline assembly/);
  assert.ok(await row.isVisible());
  await done("thirty");
});

test("a large graph opens at its first indicator, fitted into its frame", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("indicator", demo, "original.c", "regression.c"));
  const figure = page.locator(".graph").first();
  await figure.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".canvas.live"));
  const [node, frame] = [await figure.locator(".nodes > .indicator").first().boundingBox(), await figure.locator(".canvas").boundingBox()];
  assert.ok(node.x > frame.x && node.x + node.width < frame.x + frame.width && node.y > frame.y && node.y + node.height < frame.y + frame.height);
  const first = await figure.locator("svg").getAttribute("viewBox");
  await figure.locator("[data-zoom=indicator]").click();
  assert.notEqual(await figure.locator("svg").getAttribute("viewBox"), first, "the next one");
  await done();
});

test("on a phone the line of a step is in sight beside the buttons", { skip: noBrowser }, async () => {
  const options = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const { page, done } = await open(report("phone", demo, "original.c", "regression.c"), options);
  const inSight = async (locator) => {
    const box = await locator.boundingBox();
    return box.y >= 0 && box.y + box.height <= 844 && box.x >= 0 && box.x + box.width <= 390;
  };
  await page.locator(".code").first().evaluate((code) => code.scrollIntoView({ block: "start" }));
  for (const go of ["first", "next", "change", "last"]) {
    await page.locator(`[data-go=${go}]`).click();
    const [line, buttons, step] = [page.locator("tr.now td:last-child"), page.locator(".buttons"), page.locator("p.now")];
    for (const thing of [line, buttons, step]) assert.ok(await inSight(thing.first()), `${go}: ${await thing.first().textContent()} is in sight`);
    assert.equal(new Set(await page.locator(".buttons button").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))).size, 1, "one row of buttons");
  }
  await done("phone");
});

test("the program is coloured", { skip: noBrowser }, async () => {
  const { page, done } = await open(report("colours", demo, "original.c", "regression.c"));
  const of = (kind) => page.locator(`.diff i.${kind}`).allTextContents();
  assert.ok((await of("k")).includes("static") && (await of("c")).some((text) => text.includes("Keeps a computed level")));
  assert.equal(await page.locator("#u1-L57 td:last-child").textContent(), "    return limited;");
  await done();
});

// Everything that the checker of accessibility finds, in light, in dark and on a phone, everything unfolded.
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const units = () => {
  const text = "extern void reach_error(void);\nint f(int a) { if (a == LIMIT) reach_error(); return a; }\nint main(void) { return f(3); }\n";
  writeFileSync(join(folder, "one.c"), text.replace("LIMIT", "1"));
  writeFileSync(join(folder, "two.c"), text.replace("LIMIT", "2"));
  return report("pair", folder, "--entry", "main,f", "one.c", "two.c");
};
const PAGES = {
  demo: () => report("axe-demo", demo, "original.c", "regression.c"),
  refactoring: () => report("axe-refactoring", demo, "original.c", "refactored.c"),
  pair: units,
  thirty: () => thirtyUnits(mkdtempSync(join(folder, "axe-"))),
  properties: () => assertions(mkdtempSync(join(folder, "axe-"))),
  invariants: () => invariants(mkdtempSync(join(folder, "axe-"))),
  clients: () => clients(mkdtempSync(join(folder, "axe-"))),
  largest: () => largestPair && report("axe-largest", folder, "--budget", "10", "--task", largestPair),
};
for (const [name, write] of Object.entries(PAGES)) {
  test(`axe finds nothing: ${name}`, { skip: noBrowser || (name === "largest" && noTasks) }, async () => {
    const file = write();
    const phone = { viewport: { width: 390, height: 844 } };
    for (const look of [{ colorScheme: "light" }, { colorScheme: "dark" }, { colorScheme: "light", ...phone }]) {
      // The policy of the page forbids other scripts, also this one.
      const { page, done } = await open(file, { ...look, bypassCSP: true });
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
      await page.addScriptTag({ content: AXE });
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const told = violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length})\n  ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)}\n  ${node.failureSummary}`).join("\n  ")}`);
      assert.deepEqual(told, [], `${name} ${JSON.stringify(look)}`);
      const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= seen, `${name} is ${wide} wide where ${seen} are seen`);
      await done();
    }
  });
}
