// The revisions of a recipe, newest first: each keeps its address for ever.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {crumbs, heading, nextPage, sortHeading, table} from "./parts.js";

const columns = [
  {label: "Seen", cell: (one) => f.moment(one.first_seen)},
  {label: "Replaced", cell: (one, data) => (one.replaced_at ? f.moment(one.replaced_at) : data.removed_at ? "withdrawn" : "in force")},
  {label: "Tokens/s per GPU", isNumber: true, cell: (one) => f.speed(one.tokens_per_s_per_gpu)},
  {label: "Measured", cell: (one) => one.measured},
  {label: "File", cell: (one, data) => h("a", {href: `${one.url}.yaml`, download: `${data.recipe}@${one.hash.slice(0, 12)}.yaml`}, ".yaml")},
];

export function revisions(page, data) {
  const next = nextPage(data.next);
  return [table("Revisions", [h("th", {scope: "col"}, "Revision"), columns.map((column) => sortHeading(column, "", null))],
    data.revisions.map((one) => h("tr", null,
      h("th.name", {scope: "row"}, h("a", {href: one.url}, h("code", null, one.hash.slice(0, 12)))),
      columns.map((column) => h(column.isNumber ? "td.num" : "td.date", {"data-label": column.label}, column.cell(one, data))))), "list"),
  next ? h("p", null, next) : null];
}

export async function view(page) {
  const data = await page.data();
  const place = `/models/${data.model}/${data.gpu}`;
  return {title: `History of ${data.recipe}`, body: [
    crumbs(["Models", page.link("/models")], [data.model, page.link(`/models/${data.model}`)], [f.slugName(data.gpu), page.link(place)],
      [data.recipe, data.removed_at ? null : page.link(`${place}/${data.recipe}`)], ["History"]),
    heading(`History of ${data.recipe}`, h("p", null, data.removed_at
      ? `The recipe was withdrawn ${f.moment(data.removed_at)}; its revisions stay.`
      : "Each revision of the file keeps its address for ever.")),
    revisions(page, data)]};
}
