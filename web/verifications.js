// What recounting from the checkpoint found of each recipe's active parameters.
import {h, outside} from "./dom.js";
import * as f from "./figures.js";
import {badge, heading, live, nextPage, sortChoice, sortHeading, table} from "./parts.js";
import {outcomes} from "./confirmation.js";
import {empty} from "./states.js";

const columns = [
  {label: "Outcome", sort: "confirmation", cell: (row) => [badge(outcomes[row.status] ?? "warn", row.status.replaceAll("_", " ")),
    row.reason ? h("span.note-line", null, row.reason) : null]},
  {label: "Stated", sort: "-active_params", isNumber: true, cell: (row) => f.count(row.stated)},
  {label: "Recounted", isNumber: true, cell: (row) => f.count(row.computed)},
  {label: "Checkpoint", cell: (row) => (row.repository ? [outside(`https://huggingface.co/${row.repository}/tree/${row.revision}`, row.repository),
    h("span.note-line", null, "at ", h("code", null, row.revision.slice(0, 12)))] : f.NONE)},
  {label: "Checked", cell: (row) => h("span.date", null, f.moment(row.checked_at))},
];

function outcomeChoice(page, change) {
  const select = h("select", {name: "confirmation"}, h("option", {value: ""}, "any"),
    ["confirmed", "contradicted", "unconfirmable", "gated", "not_found", "unreachable", "not_checked"].map((value) =>
      h("option", {value}, value.replaceAll("_", " "))));
  select.value = page.query.get("confirmation") ?? "";
  select.addEventListener("change", () => change((query) => query.set("confirmation", select.value)));
  return h("p", null, h("label", null, "Outcome ", select));
}

function rows(page, data, change) {
  if (!data.verifications.length) return empty("No recipe has this outcome.", h("a", {href: page.path}, "Show all"));
  const sort = page.query.get("sort") ?? "";
  const sorted = (next) => change((query) => query.set("sort", next));
  return [sortChoice(columns, sort, sorted),
    table("Confirmations", [sortHeading({label: "Recipe", sort: "recipe"}, sort, sorted), columns.map((column) => sortHeading(column, sort, sorted))],
      data.verifications.map((row) => h("tr", null,
        h("th.name", {scope: "row"}, h("a", {href: page.link(row.url)}, row.recipe), h("span.note-line", null, `${row.model}, ${f.slugName(row.gpu)}`)),
        columns.map((column) => h(column.isNumber ? "td.num" : "td", {"data-label": column.label}, column.cell(row))))), "list"),
    h("p.below", null, h("span.muted", null, `${f.count(data.total)} in all.`), nextPage(data.next))];
}

export async function view(page) {
  const data = await page.data();
  const {nodes, change} = live(page, data, (fresh, again) => rows(page, fresh, again));
  return {title: "Active parameters, recounted", body: [
    heading("Active parameters, recounted", h("p", null,
      "A recipe's MFU rests on its count of active parameters. The service recounts it from the headers of the checkpoint at the pinned revision.")),
    outcomeChoice(page, change), nodes]};
}
