// Two recipes side by side: whether they can be compared, what differs, at which price they cost the same.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {allPrices, badge, heading, liveForm, priceEditor, pricingText, section, table} from "./parts.js";
import {empty} from "./states.js";

const groups = [["results", "Results"], ["layout", "Layout"], ["flags", "Command-line flags"], ["env", "Environment"],
  ["stack", "Stack"], ["workload", "Workload"]];

function choices(recipes, models) {
  const own = recipes.map((row) => `${row.model}/${row.gpu}/${row.recipe}`);
  const published = models.flatMap((model) => model.gpus.filter((cell) => cell.published).map((cell) => `${model.slug}/${cell.gpu}`));
  return [["Recipes", own], ["Published figures", published]];
}

function form(page, all, change) {
  const select = (name, label) => {
    const chosen = page.query.get(name) ?? "";
    const known = all.flatMap(([, values]) => values);
    const control = h("select", {name}, h("option", {value: ""}, "choose"),
      chosen && !known.includes(chosen) ? h("option", {value: chosen}, chosen) : null,
      all.filter(([, values]) => values.length).map(([title, values]) => h("optgroup", {label: title}, values.map((value) => h("option", {value}, value)))));
    control.value = chosen;
    control.addEventListener("change", () => change((query) => query.set(name, control.value)));
    return h("label.wide", null, label, " ", control);
  };
  return h("form.form", {"aria-label": "What to compare"}, select("a", "A"), select("b", "B"));
}

function value(of) {
  if (of === null || of === undefined) return h("span.muted", null, f.NONE);
  if (typeof of === "number") return Math.abs(of) < 1e3 ? f.exact(of) : f.plain(of, 6);
  if (typeof of === "boolean") return of ? "yes" : "no";
  return typeof of === "object" ? JSON.stringify(of) : of;
}

function difference(group, list) {
  const isCode = group === "flags" || group === "env";
  return list.map((row) => h("tr", null, h("th", {scope: "row"}, isCode ? h("code", null, row.name) : f.words(row.name)),
    h("td", {"data-label": "A"}, value(row.a)), h("td", {"data-label": "B"}, value(row.b))));
}

function differences(data) {
  const found = groups.filter(([key]) => data.differences[key]?.length);
  const known = new Set(groups.map(([key]) => key));
  const other = Object.keys(data.differences).filter((key) => !known.has(key)).map((key) => [key, f.words(key)]);
  if (!found.length && !other.length) return section("Differences", h("p", null, "There are none."));
  return [...found, ...other].map(([key, title]) => section(title, table(title,
    [h("th", {scope: "col"}, "what"), h("th", {scope: "col"}, "A"), h("th", {scope: "col"}, "B")],
    difference(key, data.differences[key]), "pair")));
}

function side(page, letter, of) {
  const name = of.recipe ?? `${of.model}/${of.gpu}`;
  return h("article.side", null, h("h2", null, `${letter} `, h("a", {href: page.link(of.url)}, name)),
    h("p", null, h("span.big", null, f.speed(of.tokens_per_s_per_gpu)), h("span.unit", null, " tokens/s/GPU")),
    h("p", null, h("span.cost", null, f.usd(of.usd_per_million_tokens)), h("span.unit", null, " / 1M tokens")),
    h("p.muted", null, `${f.count(of.gpus)} GPUs. `, pricingText(of.pricing)),
    of.published ? h("p", null, h("span.mark.outside", null, "no recipe file"),
      h("span.muted", null, ` ${of.published.source}, ${of.published.date}`)) : null);
}

function faster(data) {
  const [a, b] = [data.a.tokens_per_s_per_gpu, data.b.tokens_per_s_per_gpu];
  if (a === b) return "Both are equally fast per GPU.";
  return [h("strong", null, `${a > b ? "A" : "B"} is ${f.share(Math.max(a, b) / Math.min(a, b) - 1)} faster per GPU`),
    data.near_tie ? ", a near tie: the 95% intervals of the speeds overlap." : "."];
}

// Up to which price each side is the cheaper one.
function breakEven(data) {
  const rows = [["A", "B", data.break_even?.a_usd_per_gpu_hour, data.b], ["B", "A", data.break_even?.b_usd_per_gpu_hour, data.a]];
  const known = rows.filter(([, , price]) => price);
  if (!known.length) return null;
  return section("Break-even price", h("ul", null, known.map(([own, other, price, side]) => h("li", null,
    `${own} costs less per token than ${other} up to `, h("strong", null, f.price(price)), " per GPU-hour",
    side.pricing?.usd_per_gpu_hour ? `, with ${other} at ${f.price(side.pricing.usd_per_gpu_hour)}.` : "."))));
}

const verdicts = new Map([[true, ["pass", "comparable"]], [false, ["fail", "not comparable"]], [null, ["unknown", "cannot tell"]]]);

function comparison(page, data) {
  return [
    h("div.sides", null, side(page, "A", data.a), side(page, "B", data.b)),
    h("p", null, badge(...verdicts.get(data.comparable ?? null)), " ", faster(data)),
    data.reasons.length ? h("ul", null, data.reasons.map((reason) => h("li", null, reason))) : null,
    breakEven(data), differences(data)];
}

export async function view(page) {
  const [recipes, models, prices] = await Promise.all([
    page.data("/recipes?limit=1000&sort=model,gpu,recipe&fields=model,gpu,recipe", ""), page.data("/models", ""), allPrices(page)]);
  const {nodes, change} = await liveForm(page, (query) => query.get("a") && query.get("b"),
    () => empty("Choose two recipes.", "A model on a GPU stands for its best figure, those published elsewhere included."),
    (data) => comparison(page, data));
  const gpus = [...new Set(prices.map((row) => row.gpu))];
  return {title: "Compare two recipes", body: [
    heading("Compare two recipes", h("p", null, "What differs, and what it does to speed and cost.")),
    form(page, choices(recipes.recipes, models.models), change), priceEditor(page, prices, gpus, change), nodes]};
}
