// One recipe, whole: its figures, the audit, the command, what it ran on, and where it is from.
import {h, outside} from "./dom.js";
import * as f from "./figures.js";
import {allPrices, badge, code, crumbs, facts, heading, jumps, live, priceEditor, pricingText, section, table, tiles} from "./parts.js";
import {confirmation} from "./confirmation.js";
import {markdown, spans} from "./markdown.js";

const runnable = {as_is: ["pass", "runs as it stands"], needs_variables: ["warn", "needs variables"],
  not_as_it_stands: ["fail", "does not run as it stands"]};

// What needs attention stands first.
const order = ["fail", "warn", "unknown", "pass"];

const words = (name) => name.replaceAll("_", " ");

function figures(data) {
  const {result, gpu} = data.document;
  const half = f.interval(data.computed.speed_stderr);
  return [
    tiles(
      [f.speed(result.tokens_per_s_per_gpu, 2), "tokens/s per GPU", half ? `±${f.speed(half)}` : ""],
      [f.usd(data.computed.usd_per_million_tokens), "per 1M tokens"],
      [f.share(result.mfu ?? data.computed.mfu), "MFU"],
      [f.percent(result.step_time_cv_percent), "step-time CV"],
      [f.count(gpu.count), `${gpu.type} GPUs`, `${f.count(gpu.per_node)} per node`],
      [`${f.plain(data.computed.step_seconds, 2)} s`, "per step"]),
    h("p.muted", null, pricingText(data.pricing), half ? " ± is the 95% interval of the speed, from the step times." : null)];
}

function auditTable(audit) {
  const rows = [...audit.rows].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
  return table("Audit", ["Result", "Check", "Found", "Expected"].map((name) => h("th", {scope: "col"}, name)),
    rows.map((row) => h("tr", null, h("td", null, badge(row.result)), h("th", {scope: "row"}, words(row.check)),
      h("td", null, row.found ?? f.NONE), h("td.muted", null, row.expected))), "audit");
}

function audit(data) {
  const [kind, text] = runnable[data.audit.runnable] ?? ["unknown", words(data.audit.runnable)];
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
  if (typeof value === "object") return Object.entries(value).filter(([, part]) => part !== null).map(([name, part]) => `${words(name)} ${layoutText(part)}`).join(", ");
  return typeof value === "number" ? f.plain(value, 6) : typeof value === "boolean" ? (value ? "yes" : "no") : value;
}

function layout(data) {
  const {label, summary, highlights, ...rest} = data.document.layout;
  return section("Layout", h("p", null, summary), facts(Object.entries(rest).map(([name, value]) => [
    name.length <= 3 ? name.toUpperCase() : words(name), layoutText(value)])));
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

const entries = (map) => facts(Object.entries(map).map(([name, value]) => [words(name), String(value ?? f.NONE)]));

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

// The recipe's revisions, newest first; a service that keeps none has no link to them.
async function history(page, data) {
  if (!data.links.history) return null;
  const {revisions} = await page.data(data.links.history, "");
  return section("History", table("Revisions", ["Seen", "Hash", "Change"].map((name) => h("th", {scope: "col"}, name)),
    revisions.map((revision) => h("tr", null,
      h("td", null, f.moment(revision.first_seen)),
      h("td", null, h("a", {href: page.link(revision.url)}, h("code", null, revision.hash.slice(0, 12)))),
      h("td", null, revision.change ?? f.NONE)))));
}

export async function view(page) {
  const [data, prices] = await Promise.all([page.data(), allPrices(page)]);
  const {model, gpu, document: own} = data;
  const revisions = await history(page, data);
  const {nodes, change} = live(page, data, figures);
  const parts = [
    audit(data), section("Active parameters", confirmation(data.confirmation)), command(data),
    own.notes ? section("Notes", markdown(own.notes)) : null,
    h("div.duo", null, measured(data), layout(data)), correctness(data),
    h("div.duo", null, environment(data), workload(data)),
    downloads(data), revisions];
  return {title: `${data.recipe}, ${model.name} on ${gpu.name}`, body: [
    crumbs(["Models", page.link("/models")], [model.name, page.link(model.url)],
      [gpu.name, page.link(data.links.ranking)], [data.recipe]),
    heading(data.recipe, h("p", null, h("strong", null, own.layout.label), " · ", own.layout.highlights)),
    nodes, priceEditor(page, prices, [gpu.slug], change),
    h("div.below", null, h("a.button", {href: page.link(`/compare?a=${model.slug}/${gpu.slug}/${data.recipe}`)}, "Compare with another"),
      jumps(parts)),
    parts]};
}
