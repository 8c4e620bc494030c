// Planning: which recipes of a model fit a number of tokens, a budget, a deadline and a number of GPUs.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {scatter} from "./chart.js";
import {after, allPrices, badge, heading, liveForm, priceEditor, sortHeading, table} from "./parts.js";
import {empty} from "./states.js";

const PAUSE_MS = 350;

const fields = [
  {name: "tokens", label: "Training tokens", size: 8, hint: "10B, 500M, 10e9", pattern: /^\d*\.?\d+(e\d+|[kKmMbBtT])?$/},
  {name: "budget_usd", label: "Budget, USD", size: 9, hint: "none"},
  {name: "deadline_hours", label: "Deadline, hours", size: 6, hint: "none"},
  {name: "max_gpus", label: "GPUs at most", size: 6, hint: "any", pattern: /^[1-9]\d*$/},
];

const NUMBER = /^\d*\.?\d+$/;

function form(page, models, gpus, change) {
  const model = h("select", {name: "model"}, h("option", {value: ""}, "choose"),
    models.map((one) => h("option", {value: one.slug}, one.name)));
  model.value = page.query.get("model") ?? "";
  const gpu = h("select", {name: "gpu"}, h("option", {value: ""}, "any"), gpus.map((slug) => h("option", {value: slug}, f.slugName(slug))));
  gpu.value = page.query.get("gpu") ?? "";
  const inputs = fields.map((field) => ({field, input: h("input", {type: "text", name: field.name, size: field.size, inputmode: field.pattern ? null : "decimal",
    placeholder: field.hint, autocomplete: "off", value: page.query.get(field.name) ?? ""})}));
  const apply = after(PAUSE_MS, () => change((query) => {
    query.set("model", model.value).set("gpu", gpu.value);
    for (const {field, input} of inputs) query.set(field.name, input.value.replaceAll(",", "").trim());
  }));
  const check = ({field, input}) => {
    const text = input.value.replaceAll(",", "").trim();
    const isGood = text === "" || (field.pattern ?? NUMBER).test(text);
    input.setAttribute("aria-invalid", String(!isGood));
    if (isGood) apply();
  };
  for (const one of inputs) one.input.addEventListener("input", () => check(one));
  model.addEventListener("change", apply);
  gpu.addEventListener("change", apply);
  const own = h("form.form", {"aria-label": "What to plan"}, h("label", null, "Model ", model),
    inputs.map(({field, input}) => h("label", null, field.label, " ", input)), h("label", null, "GPU ", gpu));
  own.addEventListener("submit", (event) => event.preventDefault());
  return own;
}

const verdicts = new Map([[true, ["pass", "fits"]], [false, ["fail", "does not fit"]], [null, ["unknown", "no price"]]]);

// Slack of one limit: a number, or {absolute, fraction}.
function slackText(value, format) {
  if (value === null || value === undefined) return null;
  const amount = typeof value === "object" ? value.absolute : value;
  return `${format(Math.abs(amount))} ${amount < 0 ? "over" : "left"}`;
}

function slack(row) {
  return [slackText(row.slack?.usd, f.usd), slackText(row.slack?.hours, f.hours), slackText(row.slack?.gpus, (v) => `${f.count(v)} GPUs`)]
    .filter(Boolean).map((text) => h("div", null, text));
}

// The smallest change that makes it fit, in words; what is to be paid is rounded up.
function changeText({change}) {
  if (!change) return null;
  const parts = [
    change.budget_usd && `a budget of $${f.cents(change.budget_usd)}`,
    change.budget_usd && change.usd_per_gpu_hour && `or at most ${f.price(change.usd_per_gpu_hour)} per GPU-hour`,
    change.deadline_hours && `a deadline of ${f.plain(change.deadline_hours, 4)} h`,
    change.max_gpus && `${f.count(change.max_gpus)} GPUs`].filter(Boolean);
  return parts.length ? parts.join(", ") : change.text;
}

function chart(data) {
  const known = data.plans.map((row, i) => ({row, number: i + 1})).filter(({row}) => row.usd !== null && row.wall_hours !== null);
  if (!known.length) return null;
  const limits = data.constraints ?? {};
  return scatter({
    title: `Cost against time for ${f.compact(data.tokens)} tokens`,
    description: known.map(({row, number}) => `#${number} ${row.recipe}: ${f.hours(row.wall_hours)}, ${f.usd(row.usd)}`).join("; "),
    labels: {x: "wall-clock hours", y: "cost, USD", formatX: (v) => f.plain(v, 1), formatY: (v) => `$${f.compact(v)}`},
    given: {
      x: limits.deadline_hours ? {value: limits.deadline_hours, text: `deadline ${f.hours(limits.deadline_hours)}`} : null,
      y: limits.budget_usd ? {value: limits.budget_usd, text: `budget ${f.usd(limits.budget_usd)}`} : null},
    points: known.map(({row, number}) => ({x: row.wall_hours, y: row.usd, text: `#${number}`, isOnLine: row.on_frontier,
      kind: row.feasible ? "good" : "poor"}))});
}

const columns = [
  {label: "Cost", sort: "usd", isNumber: true, cell: (row) => h("strong", null, f.usd(row.usd))},
  {label: "Wall clock", sort: "wall_hours", isNumber: true, cell: (row) => f.hours(row.wall_hours)},
  {label: "GPU-hours", sort: "gpu_hours", isNumber: true, cell: (row) => f.count(row.gpu_hours)},
  {label: "GPUs", sort: "gpus", isNumber: true, cell: (row) => f.count(row.gpus)},
  {label: "Left or over", sort: null, isNumber: true, cell: slack},
  {label: "Frontier", sort: null, cell: (row) => (row.on_frontier ? h("span.mark", {title: "No other recipe is as cheap and faster, or as fast and cheaper."}, "best trade") : null)},
  {label: "What it would take", sort: null, cell: (row) => (row.feasible ? h("span.muted", null, "nothing") : changeText(row))},
];

function plans(page, data, change) {
  if (!data.plans.length) return empty("There is no recipe of this model to plan with.");
  const sort = data.sort ?? page.query.get("sort") ?? "";
  const fit = data.plans.filter((row) => row.feasible).length;
  return [
    h("p", null, h("strong", null, `${fit} of ${data.plans.length}`), ` ${fit === 1 ? "fits" : "fit"}, each at the GPU count that it was measured with. `,
      h("span.muted", null, "The frontier has those that no other beats in both cost and time.")),
    chart(data),
    table("Plans", [h("th", {scope: "col"}, "#"), h("th", {scope: "col"}, "Verdict"), h("th", {scope: "col"}, "Recipe"),
      columns.map((column) => sortHeading(column, sort, (next) => change((query) => query.set("sort", next))))],
    data.plans.map((row, i) => h(row.feasible ? "tr" : "tr.poor", null, h("td.rank", null, `#${i + 1}`),
      h("td", null, badge(...verdicts.get(row.feasible ?? null))),
      h("th.name", {scope: "row"}, h("a", {href: page.link(`/models/${row.recipe}`)}, row.recipe.split("/").at(-1)), h("span.note-line", null, f.slugName(row.gpu))),
      columns.map((column) => h(column.isNumber ? "td.num" : "td", {"data-label": column.label}, column.cell(row))))), "list")];
}

export async function view(page) {
  const [models, prices] = await Promise.all([page.data("/models", ""), allPrices(page)]);
  const gpus = [...new Set(prices.map((row) => row.gpu))];
  const {nodes, change} = await liveForm(page, (query) => query.get("model") && query.get("tokens"),
    () => empty("Choose a model and a number of tokens.", "Every recipe of the model is then costed at its measured GPU count."),
    (data, again) => plans(page, data, again));
  return {title: "Plan a run", body: [
    heading("Plan a run", h("p", null, "What it costs and how long it takes, and what would have to give.")),
    form(page, models.models, gpus, change), priceEditor(page, prices, gpus, change), nodes]};
}
