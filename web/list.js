// A list of recipes as a table that sorts: the ranking of one model on one GPU, and all recipes.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {auditCounts, badge, nextPage, sortChoice, sortHeading, table} from "./parts.js";

// Columns of every list. What sorts down first is better when larger.
const columns = [
  {label: "Tokens/s per GPU", sort: "-tokens_per_s_per_gpu", isNumber: true, cell: (row) => [h("strong", null, f.speed(row.tokens_per_s_per_gpu)),
    row.speed_stderr ? h("span.muted", {title: "95% interval, from the step times"}, ` ±${f.speed(f.interval(row.speed_stderr))}`) : null]},
  {label: "$ / 1M tokens", sort: "usd_per_million_tokens", isNumber: true, cell: (row) => f.usd(row.usd_per_million_tokens)},
  {label: "MFU", sort: "-mfu", isNumber: true, cell: (row) => f.share(row.mfu)},
  {label: "GPUs", sort: "gpus", isNumber: true, cell: (row) => f.count(row.gpus)},
  {label: "Layout", sort: "tp,pp,vpp,ep,dp", title: "by TP, PP, VPP, EP, DP",
    cell: (row) => [h("span.strong", null, row.layout), h("span.note-line", null, row.highlights)]},
  {label: "Step CV", sort: "step_time_cv_percent", isNumber: true, cell: (row) => f.percent(row.step_time_cv_percent)},
  {label: "Measured", sort: "-measured", cell: (row) => h("span.date", null, row.measured)},
  {label: "Author", sort: "author", cell: (row) => row.author},
  {label: "Audit", sort: "-audit", title: "worst first, among the rows shown", cell: (row) => auditCounts(row.audit)},
];

// What an audit found, as one number: a failure is worse than any number of warnings.
const badness = ({audit}) => (audit.fail * 100 + audit.warn) * 100 + audit.unknown;

// The API does not sort by the audit, so that the rows shown are.
function sortByAudit(data, sort) {
  const sign = sort.startsWith("-") ? -1 : 1;
  return {...data, sort, recipes: [...data.recipes].sort((a, b) => sign * (badness(a) - badness(b)))};
}

// Columns that say which model and GPU a row is of.
const places = [
  {label: "Model, GPU", sort: "model,gpu", cell: (row, page) => [h("a.place", {href: page.link(`/models/${row.model}`)}, row.model), " ",
    h("a", {href: page.link(`/models/${row.model}/${row.gpu}`)}, f.slugName(row.gpu))]},
];

export const nameOf = (row) => row.url.replace(/^\/models\//, "");

// Two recipes are picked; a third takes the place of the first.
function picker(page) {
  const picked = [];
  const link = h("a.button", {hidden: true}, "Compare these two");
  const hint = h("span.muted", null, "Tick two to compare them.");
  const pick = (box, name) => {
    if (box.checked) picked.push({box, name});
    else picked.splice(picked.findIndex((one) => one.box === box), 1);
    if (picked.length > 2) picked.shift().box.checked = false;
    link.hidden = picked.length < 2;
    hint.hidden = picked.length === 2;
    if (picked.length === 2) link.href = page.link(`/compare?a=${picked[0].name}&b=${picked[1].name}`);
  };
  const cell = (row) => {
    const box = h("input", {type: "checkbox", "aria-label": `Compare ${row.recipe}`});
    box.addEventListener("change", () => pick(box, nameOf(row)));
    return h("td.pick", null, box);
  };
  return {cell, bar: h("span.picker", null, hint, link)};
}

// A near tie is marked on the row and on the next one, which it is with.
const tieTitle = "The 95% intervals of the speeds of neighbours overlap.";

export const isTie = (rows, i) => rows[i].near_tie || rows[i - 1]?.near_tie;

function line(page, row, shown, tie, pick) {
  return h("tr", null,
    pick.cell(row),
    h("td.rank", null, `#${row.rank}`, tie ? h("abbr.tie", {title: tieTitle}, " ≈") : null),
    h("th.name", {scope: "row"}, h("a", {href: page.link(row.url)}, row.recipe),
      row.status === "verified" ? null : [" ", badge(row.status === "retracted" ? "fail" : "warn", row.status)]),
    shown.map((column) => h(column.isNumber ? "td.num" : "td", {"data-label": column.label}, column.cell(row, page))));
}

// How many there are, and the way to the next page.
function more(data) {
  if (!data.next) return h("span.muted", null, `${f.count(data.total)} in all.`);
  return h("span", null, `${f.count(data.recipes.length)} of ${f.count(data.total)}. `, nextPage(data.next));
}

// A list's data in the columns that its table needs, whichever the address chooses.
export function listData(page) {
  page.query.set("fields", null);
  return page.data();
}

// The table of a list's reply. hasPlace: whether rows are of several models and GPUs.
export function recipeTable(page, data, change, {caption, hasPlace}) {
  const shown = hasPlace ? [...places, ...columns] : columns;
  const sort = data.sort ?? "";
  const sorted = (next) => (/audit$/.test(next) ? change.show(sortByAudit(data, next)) : change((query) => query.set("sort", next)));
  const {recipes} = data;
  const pick = picker(page);
  return [
    sortChoice(shown, sort, sorted),
    table(caption, [
      h("td", null), h("th", {scope: "col"}, "#"),
      sortHeading({label: "Recipe", sort: "recipe"}, sort, sorted),
      shown.map((column) => sortHeading(column, sort, sorted))],
    recipes.map((row, i) => line(page, row, shown, isTie(recipes, i), pick)), "list"),
    h("p.below", null, recipes.length > 1 ? pick.bar : null, more(data)),
    recipes.some((row) => row.near_tie) ? h("p.muted", null, "≈ marks near ties. ", tieTitle) : null];
}
