// One recipe, whole: its figures, the audit, the command, what it ran on, and where it is from.
import {h, outside} from "./dom.js";
import * as f from "./figures.js";
import {allPrices, badge, code, crumbs, facts, heading, jumps, live, priceEditor, pricingText, section, table, tiles} from "./parts.js";
import {confirmation} from "./confirmation.js";
import {revisions} from "./history.js";
import {markdown, spans} from "./markdown.js";

const runnable = {as_is: ["pass", "runs as it stands"], needs_variables: ["warn", "needs variables"],
  not_as_it_stands: ["fail", "does not run as it stands"]};

// What needs attention stands first.
const order = ["fail", "warn", "unknown", "pass"];

function figures(data) {
  const {result, gpu} = data.document;
  const {computed} = data;
  const half = f.interval(computed?.speed_stderr);
  return [
    tiles(
      [f.speed(result.tokens_per_s_per_gpu, 2), "tokens/s per GPU", half ? `±${f.speed(half)}` : ""],
      [f.usd(computed ? computed.usd_per_million_tokens : result.usd_per_million_tokens), "per 1M tokens", computed ? "" : "stated"],
      [f.share(result.mfu ?? computed?.mfu), "MFU"],
      [f.percent(result.step_time_cv_percent), "step-time CV"],
      [f.count(gpu.count), `${gpu.type} GPUs`, `${f.count(gpu.per_node)} per node`],
      computed ? [`${f.plain(computed.step_seconds, 2)} s`, "per step"] : [result.measured, "measured"]),
    data.pricing ? h("p.muted", null, pricingText(data.pricing), half ? " ± is the 95% interval of the speed, from the step times." : null) : null];
}

function auditTable(audit) {
  const rows = [...audit.rows].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
  return table("Audit", ["Result", "Check", "Found", "Expected"].map((name) => h("th", {scope: "col"}, name)),
    rows.map((row) => h("tr", null, h("td", null, badge(row.result)), h("th", {scope: "row"}, f.words(row.check)),
      h("td", null, row.found ?? f.NONE), h("td.muted", null, row.expected))), "audit");
}

function audit(data) {
  const [kind, text] = runnable[data.audit.runnable] ?? ["unknown", f.words(data.audit.runnable)];
  return section("Audit", h("p", null, badge(kind, text), " ", data.audit.summary), auditTable(data.audit));
}

function command(data) {
  const {run} = data.document;
  const names = data.audit.variables ?? [];
  return section("Command",
    names.length ? h("p", null, "Set first: ", names.map((name, i) => [i ? ", " : "", h("code", null, name)])) : null,
    (data.audit.placeholders ?? []).length ? h("p", null, "Replace: ", data.audit.placeholders.map((name, i) => [i ? ", " : "", h("code", null, name)])) : null,
    code(run, "the command", h("a", {href: data.links.sh, download: `${data.recipe}.sh`}, ".sh")));
}

function layoutText(value) {
  if (value === null) return "none";
  if (typeof value === "object") return Object.entries(value).filter(([, part]) => part !== null).map(([name, part]) => `${f.words(name)} ${layoutText(part)}`).join(", ");
  return typeof value === "number" ? f.plain(value, 6) : typeof value === "boolean" ? (value ? "yes" : "no") : value;
}

function layout(data) {
  const {label, summary, highlights, ...rest} = data.document.layout;
  const isShort = ([name]) => name.length <= 3;
  const all = Object.entries(rest);
  return section("Layout", h("p", null, summary),
    h("dl.dims", null, all.filter(isShort).map(([name, value]) => h("div", null, h("dt", null, name.toUpperCase()), h("dd", null, layoutText(value))))),
    facts(all.filter((one) => !isShort(one)).map(([name, value]) => [f.words(name), layoutText(value)])));
}

function componentTest(test) {
  return h("li", null, h("p", null, badge(test.result), " ", spans(test.test), h("span.muted", null, ` ${test.gpu}, ${test.date}`)),
    h("p", null, test.detail), h("p.muted", null, `Shape: ${test.shape}`), test.note ? h("p.muted", null, test.note) : null);
}

function correctness(data) {
  const {correctness: found} = data.document;
  const {convergence} = found;
  return section("Does it still train correctly?",
    h("p", null, badge(found.result), " ", found.summary),
    convergence ? facts([
      ["Convergence", [badge(convergence.result), ` over ${f.count(convergence.steps)} steps`]],
      ["Correlation", f.exact(convergence.correlation)],
      ["Final loss difference", f.exact(convergence.final_loss_difference)],
      ["Pointwise failures", f.count(convergence.pointwise_failures)],
      ["Configuration", found.configuration],
      ["Note", convergence.note]]) : null,
    found.component_tests?.length ? [h("h3", null, "Component tests"), h("ul.tests", null, found.component_tests.map(componentTest))] : null,
    facts([["Reference", found.reference && spans(found.reference)], ["Rules", found.rules]]));
}

function measured(data) {
  const {result, gpu, author, status} = data.document;
  return section("Measurement", facts([
    ["Author", [outside(author.url, author.name)]],
    ["Status", status],
    ["Measured", result.measured],
    ["GPUs", `${f.count(gpu.count)} × ${gpu.type} ${gpu.memory_gb} GB (${gpu.instance ?? "instance not stated"}, ${f.count(gpu.per_node)} per node)`],
    ["Window", `steps ${result.window[0]} to ${result.window[1]} of ${f.count(result.steps_per_run)}, ${f.count(result.window_tokens)} tokens`],
    ["Runs", f.count(result.runs)],
    ["GPU-hours", [f.plain(result.gpu_hours, 2), result.gpu_hours_note ? h("span.muted", null, ` ${result.gpu_hours_note}`) : null]],
    ["MFU", [f.share(result.mfu), h("span.muted", null, ` N = ${f.count(result.active_params.count)} active parameters per token`),
      result.mfu_note ? h("span.muted", null, ` ${result.mfu_note}`) : null]],
    ["Stated cost", f.usd(result.usd_per_million_tokens)],
  ]));
}

const entries = (map) => facts(Object.entries(map).map(([name, value]) => [f.words(name), String(value ?? f.NONE)]));

function workload(data) {
  const {dataset, ...rest} = data.document.workload;
  const {build, ...plain} = dataset;
  return section("Rows", entries({...rest, ...plain}), build && Object.keys(build).length ? h("details", null, h("summary", null, "How they were built"), entries(build)) : null);
}

function environment(data) {
  const {stack, env, patches} = data.document;
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`).join("\n");
  return h("div", null,
    section("Stack", entries(stack)),
    section("Environment", lines ? code(lines, "the environment") : h("p", null, "Nothing is set.")),
    patches?.length ? section("Patches", h("ul", null, patches.map((patch) => h("li", null, h("code", null, patch))))) : null);
}

const formNames = {yaml: ["the recipe file", ".yaml"], sh: ["the command", ".sh"], bib: ["the citation", ".bib"]};

function downloads(data) {
  return section("Downloads", h("ul.links", null, Object.entries(formNames).filter(([key]) => data.links[key]).map(([key, [text, suffix]]) =>
    h("li", null, h("a", {href: data.links[key], download: data.recipe + suffix}, `${text}, ${suffix}`)))),
    facts([["First seen", f.moment(data.first_seen)], ["Hash", h("code", null, data.hash)]]),
    data.citation ? [h("p", null, data.citation.text), code(data.citation.bibtex, "the citation as BibTeX")] : null);
}

// Where a revision stands among the others; a recipe has them all further down.
function standing(data) {
  return h("p.note.info", null, "This is revision ", h("code", null, data.hash.slice(0, 12)), ` as it was seen ${f.moment(data.first_seen)}. It stays as it is. `,
    h("a", {href: data.links.recipe}, "The recipe now"), " · ", h("a", {href: data.links.history}, "all revisions"));
}

// A revision names its model and GPU by their slugs alone, and has no prices: they change, it does not.
function asRecipe(data) {
  if (!data.links.recipe) return data;
  const {model, gpu} = data.document;
  return {...data, isRevision: true, model: {slug: data.model, name: model, url: `/models/${data.model}`}, gpu: {slug: data.gpu, name: gpu.type},
    links: {...data.links, ranking: `/models/${data.model}/${data.gpu}`}};
}

export async function view(page) {
  const isRevision = page.path.includes("@");
  const [found, prices, past] = await Promise.all([page.data(), isRevision ? [] : allPrices(page), isRevision ? null : page.data(`${page.path}/history`, "")]);
  const data = asRecipe(found);
  const {model, gpu, document: own} = data;
  const name = isRevision ? `${data.recipe}@${data.hash.slice(0, 8)}` : data.recipe;
  const {nodes, change} = live(page, data, (fresh) => figures(asRecipe(fresh)));
  const parts = [
    audit(data), data.confirmation ? section("Active parameters", confirmation(data.confirmation)) : null, command(data),
    own.notes ? section("Notes", markdown(own.notes)) : null,
    h("div.duo", null, measured(data), layout(data)), correctness(data),
    h("div.duo", null, environment(data), workload(data)),
    downloads(data), past ? section("History", revisions(page, past)) : null];
  return {title: `${name}, ${model.name} on ${gpu.name}`, body: [
    crumbs(["Models", page.link("/models")], [model.name, page.link(model.url)], [gpu.name, page.link(data.links.ranking)],
      isRevision ? [data.recipe, page.link(data.links.recipe)] : null, [isRevision ? data.hash.slice(0, 8) : data.recipe]),
    heading(name, h("p", null, h("strong", null, own.layout.label), " · ", own.layout.highlights)),
    isRevision ? standing(data) : null, nodes, isRevision ? null : priceEditor(page, prices, [gpu.slug], change),
    h("div.below", null, isRevision ? null : h("a.button", {href: page.link(`/compare?a=${model.slug}/${gpu.slug}/${data.recipe}`)}, "Compare with another"),
      jumps(parts)),
    parts]};
}
