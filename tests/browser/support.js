// What the browser tests share: the real binary on a free port, Chromium, TAP, and what every page must keep to.
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {chromium} from "playwright-core";

const BINARY = process.env.OPENRECIPES_BIN;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// A machine that runs other tests beside is slow at times.
const PATIENCE_MS = 60000;

export const SCREENSHOTS = "build/screenshots";

async function firstLine(stream) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text;
}

// A served collection. stop() and start() keep its port, so that a page can find it again.
export class Service {
  constructor(...paths) {
    this.folder = mkdtempSync(join(tmpdir(), "openrecipes-browser-"));
    this.database = join(this.folder, "openrecipes.db");
    this.listen = "127.0.0.1:0";
    this.import(...(paths.length ? paths : ["catalog", "recipes"]));
  }

  import(...paths) {
    execFileSync(BINARY, ["import", "--db", this.database, ...paths], {stdio: ["ignore", "ignore", "pipe"]});
  }

  // Recount every active parameter, from a hub on the loopback that has the recipes' checkpoints.
  async verify() {
    const hub = spawn(join(dirname(BINARY), "tests/manual/loopback_hub"), {stdio: ["pipe", "pipe", "inherit"]});
    const ended = new Promise((resolve) => { hub.on("exit", resolve); });
    const [, endpoint] = /^HF_ENDPOINT=(\S+)/.exec(await firstLine(hub.stdout));
    const env = {...process.env, HF_ENDPOINT: endpoint, HF_TOKEN: "", HF_HOME: this.folder};
    const verifier = spawn(BINARY, ["verify", "--db", this.database], {env, stdio: ["ignore", "ignore", "inherit"]});
    const code = await new Promise((resolve) => { verifier.on("exit", resolve); });
    hub.stdin.end();
    await ended;
    if (code !== 0) throw new Error(`verifying ended with ${code}`);
    return this;
  }

  // Import an edited recipe file, at its own place or another. What was there stays a revision.
  revise(name, edit, place = name) {
    const path = join(this.folder, "recipes", `${place}.yaml`);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, edit(readFileSync(`recipes/${name}.yaml`, "utf8")));
    this.import(path);
  }

  // Take back what was revised to this place.
  withdraw(place) {
    rmSync(join(this.folder, "recipes", `${place}.yaml`));
    this.import("--prune", join(this.folder, "recipes"));
  }

  async start() {
    this.process = spawn(BINARY, ["serve", "--db", this.database, "--listen", this.listen, "--no-access-log"],
      {stdio: ["ignore", "pipe", "inherit"]});
    this.ended = new Promise((resolve) => { this.process.on("exit", (code) => resolve(code)); });
    this.url = /listening on (http:\S+)/.exec(await firstLine(this.process.stdout))[1];
    this.listen = this.url.slice("http://".length);
    return this;
  }

  async stop() {
    this.process.kill("SIGTERM");
    const code = await this.ended;
    if (code !== 0) throw new Error(`the service ended with ${code}`);
  }

  async end() {
    await this.stop();
    rmSync(this.folder, {recursive: true});
  }
}

// Chromium with a folder of its own, that speaks to nobody but the service.
export async function openBrowser() {
  // Its socket's path must be short, which the folder that a test is given need not be.
  const folder = mkdtempSync("/tmp/openrecipes-");
  const browser = await chromium.launch({executablePath: CHROMIUM, headless: true, env: {...process.env, TMPDIR: folder}, args: ["--no-sandbox", "--disable-gpu",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]});
  browser.on("disconnected", () => rmSync(folder, {recursive: true, force: true}));
  mkdirSync(SCREENSHOTS, {recursive: true});
  return browser;
}

// A fresh window, whose errors and requests elsewhere are collected.
export class Window {
  static async open(browser, service, options = {}) {
    const own = new Window();
    own.service = service;
    own.complaints = [];
    own.requests = [];
    own.context = await browser.newContext({viewport: {width: 1600, height: 1000}, reducedMotion: "reduce", ...options});
    own.page = await own.context.newPage();
    own.page.setDefaultTimeout(PATIENCE_MS);
    own.page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") own.complaints.push(message.text());
    });
    own.page.on("pageerror", (error) => own.complaints.push(String(error)));
    own.page.on("request", (request) => {
      own.requests.push(request.url());
      if (!request.url().startsWith(service.url) && !request.url().startsWith("data:")) own.complaints.push(`asked elsewhere: ${request.url()}`);
    });
    return own;
  }

  // Open an address and wait until its view is there.
  async go(path) {
    await this.page.goto(this.service.url + path);
    await this.settle();
  }

  async settle() {
    await this.page.waitForSelector("main:not([aria-busy]) h1");
    await this.page.waitForSelector(".live[aria-busy]", {state: "detached"});
  }

  // Wait until what depends on the window's size is drawn for it.
  painted() {
    return this.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(() => resolve())); }));
  }

  // Wait until a function of the page is true. waitForFunction would evaluate text, which the page's policy forbids.
  async until(condition, argument) {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      if (await this.page.evaluate(condition, argument)) return;
      await this.page.waitForTimeout(50);
    }
    throw new Error(`it never came to ${condition}`);
  }

  text(selector) {
    return this.page.locator(selector).allInnerTexts();
  }

  // Fail on anything that the browser complained of; with statuses, failed loads of these are expected.
  clean(...statuses) {
    const left = this.complaints.filter((text) => !statuses.some((status) => text.includes(`status of ${status} `) || text.includes(status)));
    if (left.length) throw new Error(`the browser complains: ${left.join(" | ")}`);
  }

  async axe() {
    await this.page.evaluate(axeSource);
    const {violations} = await this.page.evaluate(() => window.axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}));
    if (violations.length) {
      throw new Error(violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("; ")}`).join("\n"));
    }
  }

  // Nothing may be wider than the window, but what scrolls by itself.
  async fits() {
    const [wide, width] = await this.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (wide > width) {
      const culprit = await this.page.evaluate((limit) => [...document.querySelectorAll("main *")].filter((one) => !one.closest(".scroll, pre") && one.getBoundingClientRect().right > limit + 1)
        .slice(0, 3).map((one) => one.outerHTML.slice(0, 150)), width);
      throw new Error(`the page is ${wide} wide in a window of ${width}: ${culprit.join(" | ")}`);
    }
  }

  close() {
    return this.context.close();
  }
}

// Tests of one file, run in order, reported as TAP.
export class Tap {
  tests = [];

  test(name, work) {
    this.tests.push([name, work]);
  }

  async run(...args) {
    console.log(`1..${this.tests.length}`);
    for (const [i, [name, work]] of this.tests.entries()) {
      const started = performance.now();
      try {
        await work(...args);
        console.log(`ok ${i + 1} - ${name}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
      } catch (error) {
        process.exitCode = 1;
        console.log(`not ok ${i + 1} - ${name}\n${String(error.stack).replace(/^/gm, "# ")}`);
      }
    }
  }
}
