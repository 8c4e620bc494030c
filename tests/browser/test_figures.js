// The figures of the site's pages, read off the views; and text that tries to be more than text.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {HOSTILE, writeHostile} from "./hostile.js";
import {SCREENSHOTS, Service, Tap, Window, openBrowser} from "./support.js";

const PAGES = JSON.parse(readFileSync("tests/contract/pages.json", "utf8"));

const tap = new Tap();

async function at(browser, service, path) {
  const window = await Window.open(browser, service);
  await window.go(path);
  return window;
}

for (const [path, expected] of Object.entries(PAGES.rankings)) {
  tap.test(`the ranking of ${path} is the page's`, async (browser, service) => {
    const window = await at(browser, service, `/models/${path}`);
    const rows = await window.page.locator("table.list tbody tr").evaluateAll((all) => all.map((row) => {
      const text = (label) => row.querySelector(`[data-label="${label}"]`).innerText.replace(/\s+/g, " ").trim();
      return [row.querySelector(".rank").innerText.trim(), text("Tokens/s per GPU").split(" ")[0], text("$ / 1M tokens"),
        text("GPUs"), text("Layout"), text("Measured"), text("Author")];
    }));
    assert.deepEqual(rows, expected);
    window.clean();
    await window.close();
  });
}

for (const [path, {facts}] of Object.entries(PAGES.recipes)) {
  tap.test(`the figures of ${path} are the page's`, async (browser, service) => {
    const window = await at(browser, service, `/models/${path}`);
    const text = (await window.page.locator("main").innerText()).replace(/\s+/g, " ");
    const known = new Map(facts);
    const tiles = await window.text(".tiles .big");
    assert.deepEqual(tiles.slice(0, 4), [known.get("Tokens/s per GPU"), known.get("$ / 1M tokens"),
      known.get("MFU").split(" ")[0], known.get("Step-time CV")]);
    const [, correlation, loss] = /correlation (\S+), final loss difference (\S+),/.exec(known.get("Convergence check"));
    for (const part of [known.get("Layout").replace(/\s+/g, " "), known.get("Measured"), known.get("GPU-hours"), correlation, loss,
      known.get("Rows").match(/[0-9a-f]{64}/)[0], known.get("MFU").match(/[\d,]{9,}/)[0]]) {
      assert.ok(text.includes(part), `${part} is not there`);
    }
    window.clean();
    await window.close();
  });
}

tap.test("the matrix has each figure, gaps, and marks what has no recipe file", async (browser, service) => {
  const window = await at(browser, service, "/");
  const cells = await window.page.locator("table.matrix tbody tr").evaluateAll((all) => all.map((row) =>
    [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, " ").trim())));
  const unit = "tokens/s/GPU";
  assert.deepEqual(cells, [
    ["Gemma-4-26B-A4B Gemma · 3.8B active", "no recipe yet", `4,023.2 ${unit} $0.55 / 1M tokens 8 GPUs fastest cheapest no recipe file`, `3,763.4 ${unit} $1.05 / 1M tokens 8 GPUs`],
    ["Gemma-4-31B Gemma · 30.7B active", `1,178.1 ${unit} $1.62 / 1M tokens 8 GPUs`, "no recipe yet", "no recipe yet"],
    ["Qwen3.5-397B-A17B Qwen · 16.3B active", `313.3 ${unit} $6.10 / 1M tokens 128 GPUs no recipe file`, `545.3 ${unit} $4.03 / 1M tokens 128 GPUs no recipe file`, `1,232.5 ${unit} $3.21 / 1M tokens 64 GPUs fastest cheapest`]]);
  window.clean();
  await window.close();
});

tap.test("a recipe whose every field is hostile is shown as text", async (browser, service) => {
  const {document} = await (await fetch(`${service.url}/models/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k`)).json();
  service.import(writeHostile(service.folder, document));
  const place = "/models/qwen3.5-397b-a17b/b200/hostile";
  for (const path of [place, "/models/qwen3.5-397b-a17b/b200", "/recipes", `/compare?a=qwen3.5-397b-a17b/b200/hostile&b=qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8`]) {
    const window = await Window.open(browser, service, {viewport: {width: 360, height: 740}});
    await window.go(path);
    assert.equal(await window.page.locator("main img, main script").count(), 0);
    const links = await window.page.locator("main a[href]").evaluateAll((all) => all.map((one) => one.href).filter((href) => !/^https?:/.test(href)));
    assert.deepEqual(links, []);
    if (path === place) {
      assert.ok((await window.page.locator("pre").first().innerText()).includes(HOSTILE));
      assert.ok((await window.page.locator(".head").innerText()).includes("<img src=x onerror=alert(1)> \"quoted\" 'single' & &lt; </script>"));
      await window.page.screenshot({path: `${SCREENSHOTS}/hostile.png`, fullPage: true});
    }
    await window.fits();
    await window.page.setViewportSize({width: 1600, height: 1000});
    await window.fits();
    await window.axe();
    window.clean();
    await window.close();
  }
});

const service = await new Service().start();
const browser = await openBrowser();
await tap.run(browser, service);
await browser.close();
await service.end();
