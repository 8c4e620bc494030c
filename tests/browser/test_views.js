// Every view as it is shown: light and dark, on a phone and on a wide screen, judged by axe, and kept as a picture.
import {SCREENSHOTS, Service, Tap, Window, openBrowser} from "./support.js";

// Views by the name of their pictures. status: of the page, where it is not 200.
const RANKING = "/models/qwen3.5-397b-a17b/b200";
const DENSE = "/models/gemma-4-31b/h100/attune-tp2-pp4-split13";
const HASH = "4c0f501e44f8f227c4b6d9fac38b18b53f1445e3c8850365697698031857fa05";
const VIEWS = [
  ["matrix", "/"],
  ["model", "/models/gemma-4-26b-a4b"],
  ["ranking", RANKING],
  ["ranking-filtered", `${RANKING}?max_gpus=48&price=b200:4.50`],
  ["ranking-gap", "/models/gemma-4-31b/b200"],
  ["recipe", `${RANKING}/attune-tp2-pp8-ep8-vpp2-mt16k`],
  ["recipe-dense", DENSE],
  ["revision", `${DENSE}@${HASH}`],
  ["history", `${DENSE}/history`],
  ["withdrawn", `${RANKING}/withdrawn`, 410],
  ["verifications", "/verifications"],
  ["recipes", "/recipes"],
  ["plan-form", "/plan"],
  ["plan", "/plan?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=36000&deadline_hours=48"],
  ["compare-form", "/compare"],
  ["compare", "/compare?a=qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k&b=qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8"],
  ["compare-published", "/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200"],
  ["docs", "/docs"],
  ["missing", "/models/gemma-4-31", 404],
  ["mistaken", "/recipes?max_gpu=48", 400],
];
const SIZES = {1600: 1000, 360: 740};

// Every width in every scheme is a picture. What axe judges by the width it judges by no scheme, and the reverse, so
// that two of them say it all.
const LOOKS = [["light", 1600, true], ["dark", 1600], ["light", 360], ["dark", 360, true]];

const tap = new Tap();

for (const [name, path, status] of VIEWS) {
  tap.test(`the view ${name} is clean in every width and scheme`, async (browser, service) => {
    const window = await Window.open(browser, service);
    await window.go(path);
    for (const [colorScheme, width, isJudged] of LOOKS) {
      await window.page.setViewportSize({width, height: SIZES[width]});
      await window.page.emulateMedia({colorScheme});
      await window.painted();
      await window.page.screenshot({path: `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true});
      await window.fits();
      if (isJudged) await window.axe();
    }
    window.clean(...(status ? [status] : []));
    await window.close();
  });
}

tap.test("dark and light differ in more than the frame", async (browser, service) => {
  const window = await Window.open(browser, service, {colorScheme: "dark"});
  const ground = () => window.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await window.go("/");
  const dark = await ground();
  await window.page.emulateMedia({colorScheme: "light"});
  if (dark !== "rgb(16, 21, 27)" || await ground() !== "rgb(251, 252, 253)") throw new Error(`${dark}, then ${await ground()}`);
  await window.close();
});

tap.test("without scripts the page says so and links the other forms", async (browser, service) => {
  const window = await Window.open(browser, service, {javaScriptEnabled: false});
  await window.page.goto(`${service.url}${RANKING}?price=b200:4.50`);
  const links = await window.page.locator("noscript a, main a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  await window.page.screenshot({path: `${SCREENSHOTS}/no-script.png`});
  if (!links.includes(`${RANKING}.json?price=b200:4.50`)) throw new Error(`it links ${links}`);
  for (const link of links) {
    const reply = await fetch(service.url + link);
    if (!reply.ok) throw new Error(`${link} is ${reply.status}`);
  }
  window.clean();
  await window.close();
});

// A collection with everything in it: counts that were confirmed, a recipe with two revisions, one that was withdrawn.
const collection = await new Service().verify();
collection.revise(DENSE.slice("/models/".length), (text) => text.replace("\n", "\n# Looked over again.\n"));
collection.revise("qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k", (text) => text, "qwen3.5-397b-a17b/b200/withdrawn");
collection.withdraw("qwen3.5-397b-a17b/b200/withdrawn");
const service = await collection.start();
const browser = await openBrowser();
await tap.run(browser, service);
await browser.close();
await service.end();
