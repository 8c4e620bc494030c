// What people do with the page: prices, sorting, filters, copying, going back, and a service that goes away.
import assert from "node:assert/strict";
import {SCREENSHOTS, Service, Tap, Window, openBrowser} from "./support.js";

const RANKING = "/models/qwen3.5-397b-a17b/b200";
const RECIPE = `${RANKING}/attune-tp2-pp8-ep8-vpp2-mt16k`;

const tap = new Tap();

const costs = (window) => window.text("table.list [data-label='$ / 1M tokens']");
const names = (window) => window.text("table.list th.name a");
const search = (window) => window.page.evaluate(() => location.search);
const ready = (window, text) => window.page.locator("main").getByText(text, {exact: true}).first().waitFor();

tap.test("a price of one's own re-ranks and stays in the address", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go("/recipes?sort=usd_per_million_tokens");
  assert.deepEqual(await names(window), ["attune-tp1-pp1-ep8", "attune-tp2-pp4-split13", "attune-tp2-pp8-ep8-vpp2-mt16k",
    "attune-tp2-pp8-ep8-vpp2-mt8k", "attune-48gpu-tp2-pp6-ep8"]);
  await window.page.locator("[name=price-b200]").fill("4.50");
  await ready(window, "$1.01");
  assert.deepEqual(await names(window), ["attune-tp1-pp1-ep8", "attune-tp2-pp8-ep8-vpp2-mt16k", "attune-tp2-pp8-ep8-vpp2-mt8k",
    "attune-48gpu-tp2-pp6-ep8", "attune-tp2-pp4-split13"]);
  assert.deepEqual(await costs(window), ["$0.33", "$1.01", "$1.11", "$1.16", "$1.62"]);
  assert.equal(await search(window), "?sort=usd_per_million_tokens&price=b200:4.50");
  assert.equal(await window.page.evaluate(() => document.activeElement.name), "price-b200");
  await window.page.getByRole("link", {name: "attune-48gpu-tp2-pp6-ep8"}).click();
  await window.page.waitForURL(/attune-48gpu-tp2-pp6-ep8\?/); // the list has a $1.16 too
  await window.settle();
  await ready(window, "$1.16");
  assert.equal(await search(window), "?price=b200:4.50");
  await window.page.getByRole("button", {name: "List prices"}).click();
  await ready(window, "$3.68");
  assert.equal(await search(window), "");
  window.clean();
  await window.close();
});

tap.test("a price that is none is marked, and changes nothing", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go(RANKING);
  for (const text of ["abc", "-1", "0", "1e", "1,5"]) {
    await window.page.locator("[name=price-b200]").fill(text);
    assert.equal(await window.page.locator("[name=price-b200]").getAttribute("aria-invalid"), "true", text);
  }
  await window.page.waitForTimeout(400);
  assert.equal(await search(window), "");
  window.clean();
  await window.close();
});

tap.test("every column sorts, both ways, and the back button undoes it", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go(RANKING);
  const first = await names(window);
  const heads = window.page.locator("table.list thead button");
  const labels = (await heads.allInnerTexts()).map((text) => text.replace(/ [↑↓]$/, ""));
  assert.deepEqual(labels, ["Recipe", "Tokens/s per GPU", "$ / 1M tokens", "MFU", "GPUs", "Layout", "Step CV", "Measured", "Author", "Audit"]);
  for (const label of labels) {
    const head = window.page.getByRole("columnheader", {name: label});
    await head.getByRole("button").click();
    await window.settle();
    const direction = await head.getAttribute("aria-sort");
    assert.ok(direction, label);
    await head.getByRole("button").click();
    await window.settle();
    assert.notEqual(await head.getAttribute("aria-sort"), direction, label);
  }
  await window.go(RANKING);
  await window.page.getByRole("columnheader", {name: "GPUs"}).getByRole("button").press("Enter");
  await window.page.waitForURL(/sort=gpus$/);
  await window.settle();
  assert.deepEqual(await names(window), ["attune-48gpu-tp2-pp6-ep8", "attune-tp2-pp8-ep8-vpp2-mt16k", "attune-tp2-pp8-ep8-vpp2-mt8k"]);
  assert.equal(await window.page.evaluate(() => document.activeElement.dataset.key), "sort gpus");
  await window.page.goBack();
  await window.until(() => location.search === "");
  await window.settle();
  assert.deepEqual(await names(window), first);
  window.clean();
  await window.close();
});

tap.test("filters narrow the list, and say when nothing is left", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go("/recipes");
  await window.page.getByText("Filters", {exact: true}).click();
  await window.page.getByLabel("GPUs at most").fill("48");
  await window.page.waitForURL(/max_gpus=48/);
  await window.settle();
  assert.deepEqual(await names(window), ["attune-tp1-pp1-ep8", "attune-tp2-pp4-split13", "attune-48gpu-tp2-pp6-ep8"]);
  await window.page.getByLabel("GPUs at most").fill("2");
  await ready(window, "No recipe fits these filters.");
  await window.page.getByRole("link", {name: "Clear them"}).click();
  await ready(window, "5 in all.");
  window.clean();
  await window.close();
});

tap.test("long lists go on to the next page and back, whatever columns the address asks for", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go("/recipes?limit=2&sort=gpus&fields=gpus");
  const first = await names(window);
  assert.equal(first.length, 2);
  await window.page.getByRole("link", {name: "Next page"}).click();
  await window.page.waitForURL(/cursor=/);
  await ready(window, "#3");
  assert.equal((await names(window)).filter((name) => first.includes(name)).length, 0);
  await window.page.goBack();
  await ready(window, "#1");
  assert.deepEqual(await names(window), first);
  window.clean();
  await window.close();
});

tap.test("the copy button copies the exact bytes of the command", async (browser, service) => {
  const window = await Window.open(browser, service, {permissions: ["clipboard-read", "clipboard-write"]});
  await window.go(RECIPE);
  await window.page.getByRole("button", {name: "Copy the command"}).click();
  await window.page.getByText("Copied", {exact: true}).waitFor();
  const copied = await window.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await (await fetch(`${service.url}${RECIPE}.sh`)).text());
  window.clean();
  await window.close();
});

tap.test("the copy button works where the browser has no clipboard", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.page.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", {value: undefined}));
  await window.go(RECIPE);
  await window.page.evaluate(() => document.addEventListener("copy", () => { window.copied = String(document.getSelection()) || document.activeElement.value; }));
  await window.page.getByRole("button", {name: "Copy the command"}).click();
  await window.page.getByText("Copied", {exact: true}).waitFor();
  assert.equal(await window.page.evaluate(() => window.copied), await (await fetch(`${service.url}${RECIPE}.sh`)).text());
  window.clean();
  await window.close();
});

tap.test("links lead on, and back to the same place", async (browser, service) => {
  const window = await Window.open(browser, service, {viewport: {width: 360, height: 600}});
  await window.go("/");
  await window.page.getByRole("link", {name: "Qwen3.5-397B-A17B"}).scrollIntoViewIfNeeded();
  const y = await window.page.evaluate(() => Math.round(scrollY));
  await window.page.getByRole("link", {name: "Qwen3.5-397B-A17B"}).click();
  await window.page.waitForURL(/\/models\/qwen3.5-397b-a17b$/);
  await window.settle();
  assert.equal(await window.page.title(), "Qwen3.5-397B-A17B · OpenRecipes");
  assert.equal(await window.page.evaluate(() => scrollY), 0);
  await window.page.goBack();
  await window.page.locator("table.matrix").waitFor();
  await window.until((wanted) => Math.abs(scrollY - wanted) < 3, y);
  await window.page.goForward();
  await window.page.getByRole("heading", {level: 1, name: "Qwen3.5-397B-A17B"}).waitFor();
  window.clean();
  await window.close();
});

tap.test("the page and its data have one address each: a reload and a step back show the page", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go(RANKING);
  await window.page.reload();
  await window.settle();
  await window.page.goto(`${service.url}${RANKING}.json`);
  assert.ok((await window.page.locator("body").innerText()).startsWith("{\"model\""));
  await window.page.goBack();
  await window.settle();
  assert.equal(await window.page.locator("h1").innerText(), "Training Qwen3.5-397B-A17B on B200");
  window.clean();
  await window.close();
});

tap.test("the keyboard reaches the content, the focus is seen", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go("/");
  await window.page.keyboard.press("Tab");
  assert.equal(await window.page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await window.page.keyboard.press("Enter");
  await window.page.keyboard.press("Tab");
  const [name, outline] = await window.page.evaluate(() => [document.activeElement.name, getComputedStyle(document.activeElement).outlineStyle]);
  assert.deepEqual([name, outline], ["price-h100", "solid"]);
  window.clean();
  await window.close();
});

tap.test("what is not there is said with the nearest names, with the status 404", async (browser, service) => {
  const window = await Window.open(browser, service);
  const reply = await window.page.goto(`${service.url}/models/gemma-4-31/h100`);
  await window.settle();
  assert.equal(reply.status(), 404);
  assert.equal(await window.page.locator("h1").innerText(), "Nothing is here");
  await window.page.getByRole("link", {name: "gemma-4-31b"}).click();
  await window.page.getByRole("heading", {level: 1, name: "Training Gemma-4-31B on H100"}).waitFor();
  await window.go("/no/such/place/at/all");
  assert.match(await window.page.locator("main").innerText(), /There is nothing at \/no\/such\/place\/at\/all/);
  window.clean(404);
  await window.close();
});

tap.test("a service that is stopped is said to be, and found again when it is back", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go("/");
  await service.stop();
  await window.page.getByRole("link", {name: "Gemma-4-31B"}).click();
  await window.page.getByRole("heading", {level: 1, name: "The service does not answer"}).waitFor();
  await window.page.screenshot({path: `${SCREENSHOTS}/offline.png`});
  await window.axe();
  await service.start();
  await window.page.getByRole("button", {name: "Try again"}).click();
  await window.page.getByRole("heading", {level: 1, name: "Gemma-4-31B"}).waitFor();
  await service.stop();
  await window.page.locator("[name=price-h100]").fill("2.10");
  await window.page.getByRole("alert").getByText("The service does not answer").waitFor();
  assert.equal(await window.page.locator(".strip .cost").first().innerText(), "$1.62 / 1M tokens");
  await service.start();
  await window.page.locator("[name=price-h100]").fill("2.11");
  await window.until(() => document.querySelector(".strip .cost").innerText === "$0.50 / 1M tokens");
  window.clean("ERR_CONNECTION_REFUSED", "Failed to fetch dynamically imported module");
  await window.close();
});

tap.test("two recipes are picked for a comparison", async (browser, service) => {
  const window = await Window.open(browser, service);
  await window.go(RANKING);
  for (const name of ["mt16k", "48gpu", "mt8k"]) await window.page.getByLabel(new RegExp(`^Compare .*${name}`)).check();
  const href = await window.page.getByRole("link", {name: "Compare these two"}).getAttribute("href");
  assert.equal(href, "/compare?a=qwen3.5-397b-a17b/b200/attune-48gpu-tp2-pp6-ep8&b=qwen3.5-397b-a17b/b200/attune-tp2-pp8-ep8-vpp2-mt8k");
  window.clean();
  await window.close();
});

tap.test("the documentation has every endpoint, and its examples run", async (browser, service) => {
  const window = await Window.open(browser, service);
  const {paths} = await (await fetch(`${service.url}/openapi.json`)).json();
  await window.go("/docs");
  assert.deepEqual((await window.text(".endpoint h3 code")).sort(), Object.keys(paths).sort());
  const buttons = window.page.getByRole("button", {name: "Run"});
  for (const button of await buttons.all()) await button.click();
  const count = await buttons.count();
  assert.ok(count >= 10);
  await window.until((wanted) => document.querySelectorAll(".endpoint [role=status] > p").length === wanted, count);
  for (const text of await window.text(".endpoint [role=status] > p")) assert.match(text, /^200, /);
  window.clean();
  await window.close();
});

const service = await new Service().start();
const browser = await openBrowser();
await tap.run(browser, service);
await browser.close();
await service.end();
