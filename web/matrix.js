// Models and GPUs: the best speed and cost in each cell, and what is missing.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {allPrices, cellContent, heading, keepRoles, live, priceEditor} from "./parts.js";
import {empty} from "./states.js";

// Which of a model's cells is fastest, and which cheapest; nothing where there is one alone.
function bestOf(cells) {
  const known = cells.filter((cell) => cell.tokens_per_s_per_gpu);
  if (known.length < 2) return {};
  const least = (key, sign) => known.reduce((a, b) => (sign * (b[key] ?? Infinity * sign) < sign * (a[key] ?? Infinity * sign) ? b : a));
  return {fastest: least("tokens_per_s_per_gpu", -1), cheapest: least("usd_per_million_tokens", 1)};
}

function row(page, model) {
  const {fastest, cheapest} = bestOf(model.gpus);
  return h("tr", null,
    h("th", {scope: "row"}, h("a", {href: page.link(model.url)}, model.name),
      h("span.unit", null, `${model.family ?? ""} · ${f.compact(model.active_params)} active`)),
    model.gpus.map((cell) => h("td", {role: "cell", "data-label": f.slugName(cell.gpu)},
      cellContent(page, model.slug, cell, [cell === fastest && "fastest", cell === cheapest && "cheapest"].filter(Boolean)))));
}

function draw(page, data) {
  if (!data.models.length) return empty("There is no model yet.", "Import the catalogue and recipe files first.");
  const gpus = data.models[0].gpus.map((cell) => cell.gpu);
  return [
    keepRoles(h("table.matrix", null,
      h("caption.unseen", null, "Best recipe of each model on each GPU"),
      h("thead", null, h("tr", null, h("th", {scope: "col"}, "Model"),
        gpus.map((gpu) => h("th", {scope: "col"}, f.slugName(gpu))))),
      h("tbody", null, data.models.map((model) => row(page, model))))),
    h("p.muted", null, "Each cell has the fastest recipe of the model on that GPU. ",
      h("span.mark.outside", null, "no recipe file"), " marks a figure that was published elsewhere: it cannot be rerun from here."),
  ];
}

export async function view(page) {
  if (page.path === "/") page.path = "/models";
  const [data, prices] = await Promise.all([page.data(), allPrices(page)]);
  const gpus = (data.models[0]?.gpus ?? []).map((cell) => cell.gpu);
  const {nodes, change} = live(page, data, (fresh) => draw(page, fresh));
  return {title: "OpenRecipes", body: [
    heading("Training recipes, measured", h("p", null,
      "How to train a model on a GPU, how fast, at what cost, and whether to believe it.")),
    gpus.length ? priceEditor(page, prices, gpus, change) : null, nodes]};
}
