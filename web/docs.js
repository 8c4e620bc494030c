// The API, made from its OpenAPI document: every endpoint with its parameters and an example that runs.
import {h, redraw} from "./dom.js";
import {getJson} from "./api.js";
import {copyButton, heading, section, table} from "./parts.js";
import {spans} from "./markdown.js";

// A reply is shown up to here.
const SHOWN = 4000;

function resolve(document, node) {
  if (!node?.$ref) return node ?? {};
  return node.$ref.slice(2).split("/").reduce((at, part) => at?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], document) ?? {};
}

function typeText(schema) {
  if (!schema) return "";
  if (schema.anyOf) return schema.anyOf.map((one) => one.const ?? typeText(one)).join(" or ");
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return `list of ${typeText(schema.items)}`;
  const range = schema.minimum !== undefined && schema.maximum !== undefined ? ` ${schema.minimum} to ${schema.maximum}` : "";
  return (schema.format ?? schema.type ?? "") + range;
}

function parameters(list, id) {
  if (!list.length) return null;
  return h("details", {open: list.length <= 6}, h("summary", null, `${list.length} parameter${list.length === 1 ? "" : "s"}`),
    table(`Parameters of ${id}`, ["Name", "Type", "Meaning"].map((name) => h("th", {scope: "col"}, name)),
      list.map((one) => h("tr", null, h("th", {scope: "row"}, h("code", null, one.in === "path" ? `{${one.name}}` : one.name)),
        h("td", null, typeText(one.schema)), h("td", null, one.description ?? ""))), "audit"));
}

// "GET /models?limit=1" of an example, or the path itself where nothing has to be filled in.
function exampleOf(document, path, method, operation) {
  const content = operation.responses?.["200"]?.content?.["application/json"];
  const example = resolve(document, Object.values(content?.examples ?? {})[0]);
  const match = /^GET (\/\S*)$/.exec(example.summary ?? "");
  if (match) return match[1];
  return method === "get" && content && !path.includes("{") ? path : null;
}

function shownJson(text) {
  let pretty = text;
  try {
    pretty = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* It is shown as it came. */ }
  return pretty.length > SHOWN ? `${pretty.slice(0, SHOWN)}\n… ${pretty.length - SHOWN} more characters` : pretty;
}

function runner(address) {
  const command = `curl -s '${location.origin}${address}'`;
  const out = h("div", {role: "status"});
  const button = h("button", {type: "button"}, "Run");
  button.addEventListener("click", async () => {
    const started = performance.now();
    let head;
    let text = "";
    button.disabled = true;
    try {
      const reply = await fetch(address, {headers: {Accept: "application/json"}});
      text = await reply.text();
      head = `${reply.status}, ${text.length.toLocaleString("en-US")} characters, ${Math.round(performance.now() - started)} ms`;
    } catch {
      head = "The service does not answer.";
    }
    button.disabled = false;
    redraw(out, h("p.muted", null, head), text ? h("pre", {tabindex: "0", role: "region", "aria-label": `Reply of ${address}`}, h("code", null, shownJson(text))) : null);
  });
  return [h("div.code", null, h("div.actions", null, copyButton(command, "the request"), button),
    h("pre", {tabindex: "0", role: "region", "aria-label": `Request of ${address}`}, h("code", null, command))), out];
}

function endpoint(document, path, method, operation) {
  const list = (operation.parameters ?? []).map((one) => resolve(document, one));
  const types = Object.keys(operation.responses?.["200"]?.content ?? {});
  const example = exampleOf(document, path, method, operation);
  return h("article.endpoint", {id: operation.operationId},
    h("h3", null, h("span.method", null, method.toUpperCase()), " ", h("code", null, path)),
    h("p", null, spans(operation.summary ?? "")),
    types.length ? h("p.muted", null, types.join(", ")) : null,
    parameters(list, operation.operationId), example ? runner(example) : null,
    method === "post" ? h("div.code", null, h("pre", {tabindex: "0", role: "region", "aria-label": "Request with a file"},
      h("code", null, `curl -s --data-binary @recipe.yaml ${location.origin}${path}`))) : null);
}

function byTag(document) {
  const tags = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags?.[0] ?? "other";
      tags.set(tag, [...(tags.get(tag) ?? []), [path, method, operation]]);
    }
  }
  return [...tags].sort(([a], [b]) => (a === "service") - (b === "service"));
}

export async function view(page) {
  const document = await getJson("/openapi.json", {signal: page.signal});
  const tags = byTag(document);
  return {title: "The API", body: [
    heading("The API", h("p", null, spans(document.info.description ?? "")),
      h("p", null, "Every page here has its data at the same address with ", h("code", null, ".json"), " behind it. ",
        h("a", {href: "/openapi.json"}, "openapi.json"), " is the whole contract, version ", document.info.version, ".")),
    h("nav.toc", {"aria-label": "Endpoints"}, tags.map(([tag, list]) => h("div", null, h("strong", null, tag),
      h("ul", null, list.map(([path, , operation]) => h("li", null, h("a", {href: `#${operation.operationId}`}, path))))))),
    tags.map(([tag, list]) => section(tag[0].toUpperCase() + tag.slice(1), list.map((one) => endpoint(document, ...one))))]};
}
