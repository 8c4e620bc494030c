// One model: facts, its best recipe on each GPU, notes.
import {h, outside} from "./dom.js";
import * as f from "./figures.js";
import {allPrices, cellContent, crumbs, facts, heading, live, priceEditor, section} from "./parts.js";
import {confirmation} from "./confirmation.js";
import {markdown} from "./markdown.js";

function drawGpus(page, data) {
  return section("On each GPU", h("ul.strip", null, data.gpus.map((cell) => h("li", null, h("h3", null, f.slugName(cell.gpu)),
    cellContent(page, data.slug, cell)))));
}

export async function view(page) {
  const [data, prices] = await Promise.all([page.data(), allPrices(page)]);
  const {nodes, change} = live(page, data, (fresh) => drawGpus(page, fresh));
  const hub = data.hub?.repository;
  return {title: data.name, body: [
    crumbs(["Models", page.link("/models")], [data.name]),
    heading(data.name),
    priceEditor(page, prices, data.gpus.map((cell) => cell.gpu), change), nodes,
    section("Facts", facts([
      ["Family", data.family],
      ["Active parameters", `${f.count(data.active_params)} per token`],
      ["All parameters", data.total_params && [f.count(data.total_params),
        data.total_params_source ? h("span.muted", null, ` ${data.total_params_source}`) : null]],
      ["Weights", hub && [outside(`https://huggingface.co/${hub}`, hub), data.hub.revision
        ? h("span.muted", null, " at ", h("code", null, data.hub.revision.slice(0, 12))) : null]],
      ["Plan a run", h("a", {href: page.link(`/plan?model=${data.slug}`)}, "cost against time")],
    ])),
    data.confirmation ? section("Active parameters", confirmation(data.confirmation)) : null,
    data.notes ? section("Notes", markdown(data.notes)) : null]};
}
