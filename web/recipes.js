// All recipes, filtered and sorted.
import {h} from "./dom.js";
import {allPrices, heading, live, priceEditor} from "./parts.js";
import {filters} from "./filters.js";
import {listData, recipeTable} from "./list.js";
import {empty} from "./states.js";

export async function view(page) {
  const [data, prices] = await Promise.all([listData(page), allPrices(page)]);
  const {nodes, change} = live(page, data, (fresh, again) => (fresh.recipes.length
    ? [recipeTable(page, fresh, again, {caption: "All recipes", hasPlace: true})]
    : empty("No recipe fits these filters.", h("a", {href: page.link(page.path)}, "Clear them"))));
  return {title: "All recipes", body: [
    heading("All recipes", h("p", null, "Speeds of different models and workloads say nothing about each other; filter before you compare.")),
    priceEditor(page, prices, [...new Set(prices.map((row) => row.gpu))], change), filters(page, change), nodes]};
}
