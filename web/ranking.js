// The ranking of a model's recipes on a GPU.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {bars} from "./chart.js";
import {allPrices, cellContent, code, crumbs, heading, live, priceEditor, pricingText, section, workloadText} from "./parts.js";
import {filters} from "./filters.js";
import {markdown} from "./markdown.js";
import {isTie, listData, recipeTable} from "./list.js";
import {empty} from "./states.js";

// A chart of more bars than this says nothing at a glance.
const MOST_BARS = 12;

function chart(data) {
  const rows = data.recipes.slice(0, MOST_BARS);
  return bars({
    title: `Speed of ${data.model.name} on ${data.gpu.name}${data.recipes.length > MOST_BARS ? `, the first ${MOST_BARS}` : ""}`,
    note: "Whiskers: 95% interval, from the step times.",
    unit: "tokens/s per GPU",
    format: f.count,
    rows: rows.map((row, i) => ({
      label: [`#${row.rank}${isTie(data.recipes, i) ? " ≈" : ""} ${row.layout}`, f.usd(row.usd_per_million_tokens), `${f.count(row.gpus)} GPUs`, row.measured],
      value: row.tokens_per_s_per_gpu,
      spread: f.interval(row.speed_stderr),
      text: f.speed(row.tokens_per_s_per_gpu)}))});
}

function otherWorkloads(page, list) {
  if (!list?.length) return null;
  return section("Other workloads", h("p.muted", null, "Their speeds cannot be compared with those above."),
    h("ul", null, list.map((workload) => h("li", null,
      h("a", {href: page.link(`${page.path}?workload=${workload.id}`)}, workloadText(workload)),
      workload.recipes ? ` (${f.count(workload.recipes)})` : null))));
}

function otherGpus(page, data) {
  return section(`${data.model.name} on every GPU`, h("ul.strip", null, data.other_gpus.map((cell) =>
    h("li", {"aria-current": cell.gpu === data.gpu.slug ? "true" : null}, h("h3", null, f.slugName(cell.gpu)),
      cellContent(page, data.model.slug, cell)))));
}

function ranked(page, data, change) {
  if (data.recipes.length) {
    return [h("p.muted", null, data.workload ? workloadText(data.workload) : null, data.workload ? ". " : null, pricingText(data.pricing),
      data.first_place_since ? ` First place since ${f.moment(data.first_place_since)}.` : null),
      chart(data), recipeTable(page, data, change, {caption: `Recipes of ${data.model.name} on ${data.gpu.name}`})];
  }
  return page.query.items.some(([name]) => !["price", "sort"].includes(name))
    ? empty("No recipe fits these filters.", h("a", {href: page.link(page.path)}, "Clear them"))
    : empty(`There is no recipe of ${data.model.name} on ${data.gpu.name} yet.`,
      "A recipe is one YAML file; ", h("a", {href: "/docs#check"}, "POST /check"), " judges it before you propose it.");
}

export async function view(page) {
  const [data, prices] = await Promise.all([listData(page), allPrices(page)]);
  const {model, gpu} = data;
  const {nodes, change} = live(page, data, (fresh, again) => [ranked(page, fresh, again),
    otherWorkloads(page, fresh.other_workloads), otherGpus(page, fresh)]);
  return {title: `${model.name} on ${gpu.name}`, body: [
    crumbs(["Models", page.link("/models")], [model.name, page.link(model.url)], [gpu.name]),
    heading(`Training ${model.name} on ${gpu.name}`,
      h("p", null, `${gpu.memory_gb} GB · ${f.count(gpu.peak_bf16_flops / 1e12)} TFLOP/s dense BF16 · `,
        h("a", {href: page.link(`/plan?model=${model.slug}`)}, "plan a run"))),
    priceEditor(page, prices, [gpu.slug, ...data.other_gpus.map((cell) => cell.gpu).filter((slug) => slug !== gpu.slug)], change),
    filters(page, change), nodes,
    data.notes ? section(`Notes for ${model.name}`, markdown(data.notes)) : null,
    data.citation ? section("Citation", h("p", null, data.citation.text), code(data.citation.bibtex, "the citation as BibTeX")) : null]};
}
