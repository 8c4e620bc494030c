// Pieces that several views are made of.
import {h, redraw} from "./dom.js";
import {Query, readPrices, writePrices} from "./api.js";
import * as f from "./figures.js";
import {trouble} from "./states.js";

// Typing is taken up when it has paused this long.
const PAUSE_MS = 250;

export function after(pause, work) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), pause);
  };
}

// Tell those who listen instead of look.
export function say(text) {
  document.getElementById("said").textContent = text;
}

// Where we are: [[text, address], ...]; the last is the page itself.
export function crumbs(...steps) {
  return h("nav.crumbs", {"aria-label": "Breadcrumb"}, h("ol", null, steps.filter(Boolean).map(([text, address]) =>
    h("li", null, address ? h("a", {href: address}, text) : h("span", {"aria-current": "page"}, text)))));
}

export function heading(title, ...below) {
  return h("header.head", null, h("h1", null, title), below);
}

const anchorOf = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

// A part of a page with its own heading, which a link can lead to.
export function section(title, ...content) {
  return h("section.part", {id: `part-${anchorOf(title)}`}, h("h2", null, title), content);
}

// Links to the parts of a long page.
export function jumps(nodes) {
  const found = nodes.flat(Infinity).filter(Boolean).flatMap((node) => (node.matches("section.part") ? [node] : [...node.querySelectorAll("section.part")]));
  return h("nav.jumps", {"aria-label": "Parts of this page"}, h("ul", null, found.map((part) =>
    h("li", null, h("a", {href: `#${part.id}`}, part.querySelector("h2").textContent)))));
}

// The way to the next page of a list.
export function nextPage(next) {
  return next ? h("a.button", {href: next.replace(/\.json(?=\?)/, "")}, "Next page") : null;
}

// Figures in large type: [[value, unit, note], ...].
export function tiles(...figures) {
  return h("dl.tiles", null, figures.map(([value, unit, note]) => h("div", null,
    h("dt", null, unit), h("dd", null, h("span.big", null, value), note ? h("span.muted", null, " ", note) : null))));
}

// Names and values; rows whose value is null or "" are left out.
export function facts(rows) {
  return h("dl.facts", null, rows.filter(([, value]) => value || value === 0).map(([name, value]) =>
    h("div", null, h("dt", null, name), h("dd", null, value))));
}

const marks = {pass: "✓", warn: "!", fail: "✕", unknown: "?"};

export function badge(result, text = result) {
  return h(`span.badge.${marks[result] ? result : "unknown"}`, null,
    h("span", {"aria-hidden": "true"}, marks[result] ?? "?"), ` ${text}`);
}

// Counts of an audit, those that are none left out.
export function auditCounts(audit) {
  const found = Object.keys(marks).filter((result) => audit?.[result]);
  return h("span.counts", null, found.map((result) => h(`span.badge.${result}`, {title: result}, h("span", {"aria-hidden": "true"}, marks[result]),
    ` ${audit[result]}`, h("span.unseen", null, ` ${result}`))));
}

// Copy exactly this text. Where the browser gives no clipboard (plain http), a selection does.
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", {class: "unseen", "aria-hidden": "true"});
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("no clipboard");
  return undefined;
}

export function copyButton(text, what) {
  const button = h("button.copy", {type: "button", "aria-label": `Copy ${what}`}, "Copy");
  button.addEventListener("click", async () => {
    try {
      await copyText(text);
      button.textContent = "Copied";
      say(`Copied ${what}.`);
    } catch {
      button.textContent = "Select it by hand";
      say("The browser does not let this page copy.");
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

// Text as it is, with a button that copies it.
export function code(text, what, ...actions) {
  return h("div.code", null, h("div.actions", null, copyButton(text, what), actions),
    h("pre", {tabindex: "0", role: "region", "aria-label": what}, h("code", null, text)));
}

const roles = {TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell"};

// Say what the parts of a table are: a table that a phone shows as blocks is no table by itself any more.
export function keepRoles(table) {
  for (const part of [table, ...table.querySelectorAll("*")]) {
    const role = part.tagName === "TH" ? (part.scope === "col" ? "columnheader" : "rowheader") : roles[part.tagName];
    if (role) part.setAttribute("role", role);
  }
  return table;
}

// A table that scrolls by itself where it is too wide.
export function table(caption, head, body, kind = "") {
  return h("div.scroll", {tabindex: "0", role: "region", "aria-label": caption},
    keepRoles(h("table", {class: kind || null}, h("caption.unseen", null, caption),
      h("thead", null, h("tr", null, head)), h("tbody", null, body))));
}

// The headings that sort, as a choice for phones, which show no headings.
export function sortChoice(columns, sort, change) {
  const known = columns.filter((column) => column.sort);
  const own = known.find((column) => [column.sort, flip(column.sort)].includes(sort))?.sort;
  const select = h("select", {"data-key": "sort choice"}, own ? null : h("option", {value: ""}, "choose"),
    known.map((column) => h("option", {value: column.sort}, column.label)));
  select.value = own ?? "";
  select.addEventListener("change", () => change(select.value));
  return h("label.phone", null, "Sort by ", select);
}

const flip = (keys) => keys.split(",").map((key) => (key.startsWith("-") ? key.slice(1) : `-${key}`)).join(",");

// A heading that sorts. keys are those of the parameter: "-mfu", or several: "tp,pp".
export function sortHeading(column, sort, change) {
  if (!column.sort) return h(column.isNumber ? "th.num" : "th", {scope: "col"}, column.label);
  const isOn = sort === column.sort || sort === flip(column.sort);
  const next = sort === column.sort ? flip(column.sort) : column.sort;
  const isDown = sort.startsWith("-");
  return h(column.isNumber ? "th.num" : "th",
    {scope: "col", "aria-sort": isOn ? (isDown ? "descending" : "ascending") : null},
    h("button.sort", {type: "button", "data-key": `sort ${column.sort}`, title: column.title, onclick: () => change(next)},
      column.label, h("span.arrow", {"aria-hidden": "true"}, isOn ? (isDown ? " ↓" : " ↑") : "")));
}

// A page's content that follows its query: change(edit) edits the query, asks again and draws anew. What was
// there stays until the answer is, and if there is none.
export function live(page, first, draw) {
  const content = h("div.live");
  const note = h("p.note.bad", {role: "alert", hidden: true});
  let turn = 0;

  const change = async (edit, {isStep = true} = {}) => {
    const query = new Query(String(page.query));
    edit(query);
    query.set("cursor", null);
    page.keep(query, isStep);
    const mine = ++turn;
    content.setAttribute("aria-busy", "true");
    try {
      const data = await page.data();
      if (mine !== turn) return;
      note.hidden = true;
      change.show(data);
      say("Updated.");
    } catch (error) {
      if (mine !== turn || error.name === "AbortError") return;
      note.textContent = (error.document?.errors ?? []).map((issue) => issue.detail).join("; ") || error.message;
      note.hidden = false;
    }
    content.removeAttribute("aria-busy");
  };

  change.show = (data) => redraw(content, draw(data, change));
  change.show(first);
  return {nodes: [note, content], change};
}

// The same for a page that asks first: while its query is not complete, there is nothing to ask the service, and
// what it refuses stands in place of the answer.
export async function liveForm(page, isComplete, ask, draw) {
  const load = page.data.bind(page);
  page.data = (...of) => (of.length || isComplete(page.query) ? load(...of) : Promise.resolve(null));
  const first = await page.data().catch((error) => error);
  return live(page, first, (data, change) => (data === null ? ask()
    : data instanceof Error ? trouble(data, () => change(() => {}), "h2").body : draw(data, change)));
}

// Prices of one's own, each beside the price that the collection has.
export function priceEditor(page, prices, gpus, change) {
  const own = readPrices(page.query);
  const listed = new Map();
  for (const row of prices) if (!listed.has(row.gpu)) listed.set(row.gpu, row);
  const apply = after(PAUSE_MS, () => change((query) => writePrices(query, own), {isStep: false}));
  const reset = h("button.quiet", {type: "button", hidden: own.size === 0}, "List prices");
  const inputs = gpus.map((gpu) => {
    const input = h("input", {type: "text", inputmode: "decimal", size: 7, name: `price-${gpu}`, autocomplete: "off",
      value: own.get(gpu) ?? "", placeholder: listed.has(gpu) ? String(Number(listed.get(gpu).usd_per_gpu_hour.toPrecision(6))) : "none"});
    input.addEventListener("input", () => {
      const text = input.value.trim().replace(/^\$/, "");
      const isGood = text === "" || (/^\d*\.?\d+$/.test(text) && Number(text) > 0);
      input.setAttribute("aria-invalid", String(!isGood));
      if (!isGood) return;
      if (text) own.set(gpu, text);
      else own.delete(gpu);
      reset.hidden = own.size === 0;
      apply();
    });
    return {gpu, input};
  });
  reset.addEventListener("click", () => {
    own.clear();
    for (const {input} of inputs) {
      input.value = "";
      input.setAttribute("aria-invalid", "false");
    }
    reset.hidden = true;
    inputs[0].input.focus();
    change((query) => writePrices(query, own), {isStep: false});
  });
  const source = listed.get(gpus[0]);
  return h("fieldset.prices", null, h("legend", null, "My price, USD per GPU-hour"),
    inputs.map(({gpu, input}) => h("label", null, f.slugName(gpu), " ", input)), reset,
    source ? h("span.muted", null, `Else ${source.provider} ${source.purchase.replace("_", "-")}, ${source.region}, ${source.as_of}`) : null);
}

// Every price of the collection; none where the service cannot say.
export async function allPrices(page) {
  return (await page.data("/prices", "")).prices;
}

// How a price came about, in words.
export function pricingText(pricing) {
  if (!pricing?.usd_per_gpu_hour) return "No price is known.";
  const at = `${f.price(pricing.usd_per_gpu_hour)} per GPU-hour`;
  if (pricing.basis === "custom") return `At your price of ${at}.`;
  return `At ${at}: ${pricing.provider} ${pricing.instance}, ${pricing.purchase.replace("_", "-")}, ${pricing.region}, ${pricing.as_of}.`;
}

// What makes two speeds comparable, in words.
export function workloadText(workload) {
  if (!workload) return "";
  return `${f.count(workload.row_tokens)}-token ${workload.rows.replace(/ conversations$/, "")} rows · global batch ${
    f.count(workload.global_batch)} · ${workload.precision.toUpperCase()}`;
}

// The best figure of a model on a GPU: a recipe, a figure published elsewhere, or a gap. marks are words to put on it.
export function cellContent(page, model, cell, marks = []) {
  const place = page.link(`/models/${model}/${cell.gpu}`);
  if (!cell.tokens_per_s_per_gpu) return h("a.gap", {href: place}, "no recipe yet");
  return h("a.figure", {href: place},
    h("span.big", null, f.speed(cell.tokens_per_s_per_gpu)), h("span.unit", null, " tokens/s/GPU"),
    h("span.cost", null, f.usd(cell.usd_per_million_tokens), h("span.unit", null, " / 1M tokens")),
    h("span.unit", null, `${f.count(cell.gpus)} GPUs`),
    marks.length || cell.published ? h("span.marks", null, marks.map((mark) => h("span.mark", null, mark)),
      cell.published ? h("span.mark.outside", {title: `${cell.published.source}, ${cell.published.date}`}, "no recipe file") : null) : null);
}
