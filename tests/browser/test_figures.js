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

const columns = (window, label) => window.text(`table.list [data-label="${label}"]`);

tap.test("a plan has the worked example's costs and hours, and what would have to give", async (browser, service) => {
  const window = await at(browser, service, "/plan?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=36000&deadline_hours=48");
  assert.deepEqual(await columns(window, "Cost"), ["$32,097", "$34,989", "$36,783"]);
  assert.deepEqual(await columns(window, "Wall clock"), ["35.2 h", "38.4 h", "53.8 h"]);
  assert.deepEqual(await window.text("table.list .badge"), ["✓ fits", "✓ fits", "✕ does not fit"]);
  assert.match((await columns(window, "What it would take"))[2], /^a budget of \$36,782\.90, or at most \$13\.9384 per GPU-hour, a deadline of 53\.8079 h$/);
  assert.equal(await window.page.locator(".chart .point").count(), 3);
  assert.deepEqual(await window.page.locator(".chart .axis").allTextContents(), ["wall-clock hours", "cost, USD"]);
  await window.page.getByLabel("Budget, USD").fill("37,000");
  await window.page.getByLabel("Deadline, hours").fill("54");
  await window.until(() => document.querySelectorAll("table.list .badge.pass").length === 3);
  assert.equal(await window.page.evaluate(() => location.search), "?model=qwen3.5-397b-a17b&tokens=10e9&budget_usd=37000&deadline_hours=54");
  await window.page.locator("[name=price-b200]").fill("7");
  await window.until(() => document.querySelector('table.list [data-label="Cost"]').innerText === "$15,776");
  window.clean();
  await window.close();
});

tap.test("an empty plan asks for what it needs, and is filled in", async (browser, service) => {
  const window = await at(browser, service, "/plan");
  assert.match(await window.page.locator(".empty").innerText(), /^Choose a model and a number of tokens/);
  await window.page.locator("select[name=model]").selectOption("gemma-4-31b");
  await window.page.getByLabel("Training tokens").fill("1B");
  await window.until(() => document.querySelector('table.list [data-label="Cost"]')?.innerText === "$1,622");
  window.clean();
  await window.close();
});

tap.test("a comparison has the break-even price, the differences, and whether they can be compared", async (browser, service) => {
  const window = await at(browser, service, "/compare?a=qwen3.5-397b-a17b/b200&b=qwen3.5-397b-a17b/h200");
  const text = async () => (await window.page.locator("main").innerText()).replace(/\s+/g, " ");
  assert.match(await text(), /A costs less per token than B up to \$17\.8833 per GPU-hour, with B at \$7\.912\./);
  assert.match(await text(), /\? cannot tell A is 126\.0% faster per GPU\./);
  await window.page.locator("select[name=b]").selectOption("qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8");
  await window.until(() => document.querySelector(".live .badge").innerText === "✓ comparable");
  assert.match(await text(), /✓ comparable A is 14\.6% faster per GPU\./);
  const flags = await window.page.locator("#part-command-line-flags tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  assert.deepEqual(flags.at(-1), ["--pipeline-model-parallel-size", "8", "6"]);
  await window.page.locator("select[name=a]").selectOption("gemma-4-31b/h100/attune-tp2-pp4-split13");
  await window.until(() => document.querySelector(".live .badge").innerText === "✕ not comparable");
  window.clean();
  await window.close();
});

tap.test("a count that was confirmed has its breakdown", async (browser, service) => {
  const window = await at(browser, service, "/models/qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt16k");
  assert.equal(await window.page.locator("#part-active-parameters .badge").innerText(), "✓ confirmed");
  const rows = await window.page.locator("table.breakdown tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  assert.deepEqual(rows, [["embedding", "1,017,118,720"], ["output head", "1,017,118,720"], ["dense layers", "7,764,541,440"],
    ["routed experts, 10 of 512 (all: 386,547,056,640)", "7,549,747,200"], ["active per token", "16,331,407,360"],
    ["the other routed experts", "378,997,309,440"], ["vision tower", "456,010,480"], ["multi-token prediction", "6,595,568,128"],
    ["norms, biases and other small tensors", "514,816"], ["all of the checkpoint", "403,397,928,944"]]);
  window.clean();
  await window.close();
});

tap.test("every recipe's count is listed with what was found", async (browser, service) => {
  const window = await at(browser, service, "/verifications");
  assert.deepEqual(await columns(window, "Outcome"), Array(5).fill("✓ confirmed"));
  assert.deepEqual(new Set(await columns(window, "Recounted")), new Set(["3,821,830,144", "16,331,407,360", "30,696,013,824"]));
  await window.page.locator("select[name=confirmation]").selectOption("contradicted");
  await window.page.getByText("No recipe has this outcome.").waitFor();
  assert.equal(await window.page.evaluate(() => location.search), "?confirmation=contradicted");
  window.clean();
  await window.close();
});

tap.test("neighbours whose intervals overlap are marked in the table and in the chart", async (browser, service) => {
  service.revise("qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8", (text) => text.replace("tokens_per_s_per_gpu: 1075.5", "tokens_per_s_per_gpu: 1109.5"));
  const window = await at(browser, service, "/models/qwen3.5-397b-a17b/b200");
  assert.deepEqual(await window.text("table.list .rank"), ["#1", "#2 ≈", "#3 ≈"]);
  assert.deepEqual((await window.page.locator(".chart .label").allTextContents()).map((text) => text.slice(0, 4)), ["#1 T", "#2 ≈", "#3 ≈"]);
  await window.page.getByText("≈ marks near ties.", {exact: false}).waitFor();
  await window.page.getByRole("columnheader", {name: "GPUs"}).getByRole("button").click();
  await window.page.waitForURL(/sort=gpus/);
  await window.settle();
  assert.deepEqual(await window.text("table.list .rank"), ["#1", "#2", "#2"]);
  window.clean();
  await window.close();
});

tap.test("a changed recipe has its history, and each revision its page", async (browser, service) => {
  const place = "gemma-4-31b/h100/attune-tp2-pp4-split13";
  service.revise(place, (text) => text.replace("tokens_per_s_per_gpu: 1178.1", "tokens_per_s_per_gpu: 1181.1"));
  const window = await at(browser, service, `/models/${place}`);
  const history = window.page.locator("#part-history");
  assert.deepEqual(await history.locator("[data-label='Tokens/s per GPU']").allInnerTexts(), ["1,181.1", "1,178.1"]);
  assert.equal(await history.locator("[data-label=Replaced]").first().innerText(), "in force");
  await history.getByRole("link", {name: "4c0f501e44f8"}).click();
  await window.page.waitForURL(/@4c0f501e/);
  await window.settle();
  assert.equal(await window.page.locator("h1").innerText(), "attune-tp2-pp4-split13@4c0f501e");
  assert.deepEqual((await window.text(".tiles .big")).slice(0, 2), ["1,178.10", "$1.62"]);
  assert.match(await window.page.locator(".note.info").innerText(), /^This is revision 4c0f501e44f8 as it was seen /);
  await window.page.getByRole("link", {name: "all revisions"}).click();
  await window.page.waitForURL(/\/history$/);
  await window.settle();
  assert.equal(await window.page.locator("table.list tbody tr").count(), 2);
  await window.page.getByRole("link", {name: "attune-tp2-pp4-split13", exact: true}).click();
  await window.page.waitForURL(/split13$/);
  await window.settle();
  assert.equal((await window.text(".tiles .big"))[0], "1,181.10");
  window.clean();
  await window.close();
});

tap.test("every form that a page offers is there", async (browser, service) => {
  const forms = {"/": "json", "/recipes?max_gpus=48": "json csv ndjson txt atom", "/models/gemma-4-31b/h100?price=h100:2": "json csv ndjson txt atom",
    "/verifications": "json csv ndjson txt", "/plan?model=gemma-4-31b&tokens=1B": "json txt",
    "/models/gemma-4-31b/h100/attune-tp2-pp4-split13": "json yaml sh bib", "/models/gemma-4-31b/h100/attune-tp2-pp4-split13/history": "json"};
  for (const [path, names] of Object.entries(forms)) {
    const window = await at(browser, service, path);
    const links = await window.page.locator(".forms a").evaluateAll((all) => all.map((one) => [one.textContent, one.href]));
    assert.deepEqual(links.map(([name]) => name), names.split(" "));
    for (const [, link] of links) assert.equal((await fetch(link)).status, 200, link);
    window.clean();
    await window.close();
  }
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

const service = await (await new Service().verify()).start();
const browser = await openBrowser();
await tap.run(browser, service);
await browser.close();
await service.end();
