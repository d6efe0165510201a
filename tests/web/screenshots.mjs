// Takes pictures of reports: the demonstration, the largest pair, thirty units, assertions, invariants, clients; in light, in dark, and on a phone.
//
//   node screenshots.mjs [FOLDER]      (default: target/screenshots)
//
// Each page is taken from its top, and what lies further down on its own, so that a picture is readable.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { assertions, chromiumPath, clients, demo, invariants, largestPair, launch, report, target, thirtyUnits } from "./pages.mjs";

const out = resolve(process.argv[2] ?? join(target, "screenshots"));
const DEVICES = {
  light: { viewport: { width: 1500, height: 1000 }, colorScheme: "light" },
  dark: { viewport: { width: 1500, height: 1000 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
// What is worth a picture of its own, where a page has it.
const PARTS = { code: ".code", causes: ".causes", graphs: ".graphs", stepper: ".run" };

if (!existsSync(chromiumPath)) {
  console.error(`Chromium is missing: ${chromiumPath} (make browser)`);
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "residue-screenshots-"));
const pages = {
  demo: report(folder, "demo", demo, "original.c", "regression.c"),
  thirty: thirtyUnits(folder),
  properties: assertions(folder),
  invariants: invariants(folder),
  clients: clients(folder),
};
if (largestPair) pages.largest = report(folder, "largest", folder, "--budget", "10", "--task", largestPair);
else console.error("tasks are missing, and with them the largest pair (set RESIDUE_SHARED)");

const browser = await launch();
for (const [device, options] of Object.entries(DEVICES)) {
  const context = await browser.newContext(options);
  for (const [name, file] of Object.entries(pages)) {
    const page = await context.newPage();
    const started = performance.now();
    await page.goto(pathToFileURL(file).href);
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    await page.screenshot({ path: join(out, `${name}-${device}.png`) });
    for (const [part, selector] of Object.entries(PARTS)) {
      const found = page.locator(selector).first();
      if (!(await found.count())) continue;
      await found.scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(out, `${name}-${device}-${part}.png`) });
    }
    console.log(`${name} ${device}: loaded in ${seconds} s`);
    await page.close();
  }
  await context.close();
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`pictures are in ${out}`);
