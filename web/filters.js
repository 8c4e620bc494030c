// Filters of a list. Each is a parameter of the API by its own name.
import {h} from "./dom.js";
import {after} from "./parts.js";

const PAUSE_MS = 350;

const fields = [
  {name: "q", label: "Text", size: 14},
  {name: "max_gpus", label: "GPUs at most", size: 5, isNumber: true},
  {name: "min_tokens_per_s_per_gpu", label: "Tokens/s at least", size: 7, isNumber: true},
  {name: "max_usd_per_million_tokens", label: "$ / 1M at most", size: 6, isNumber: true},
  {name: "as_of", label: "Measured by", kind: "date"},
  {name: "offload", label: "Offload", words: [["", "any"], ["none", "none"]]},
  {name: "tp", label: "TP", size: 4, isNumber: true},
  {name: "pp", label: "PP", size: 4, isNumber: true},
  {name: "ep", label: "EP", size: 4, isNumber: true},
];

function control(field, value) {
  if (field.words) {
    const select = h("select", {name: field.name}, field.words.map(([word, text]) => h("option", {value: word}, text)));
    select.value = value;
    return select;
  }
  return h("input", {name: field.name, type: field.kind ?? "text", size: field.size, value,
    inputmode: field.isNumber ? "decimal" : null, autocomplete: "off"});
}

const isGood = (field, value) => !field.isNumber || value === "" || /^\d*\.?\d+$/.test(value);

// A form that changes the list as it is filled in. Filters in the address that the form lacks are named below it.
export function filters(page, change) {
  const known = new Set([...fields.map((field) => field.name), "sort", "price", "limit", "cursor", "fields", "workload"]);
  const others = page.query.items.filter(([name]) => !known.has(name));
  const isOn = fields.some((field) => page.query.get(field.name)) || others.length > 0;
  const form = h("form", {role: "search", "aria-label": "Filters"});
  const apply = after(PAUSE_MS, () => change((query) => {
    for (const field of fields) query.set(field.name, form.elements[field.name].value.trim());
  }, {isStep: false}));
  for (const field of fields) {
    const input = control(field, page.query.get(field.name) ?? "");
    input.addEventListener("input", () => {
      const good = isGood(field, input.value.trim());
      input.setAttribute("aria-invalid", String(!good));
      if (good) apply();
    });
    form.append(h("label", null, field.label, " ", input));
  }
  form.append(h("a.quiet", {href: page.link(page.path)}, "Clear"));
  form.addEventListener("submit", (event) => event.preventDefault());
  return h("details.filters", {open: isOn}, h("summary", null, "Filters"), form,
    others.length ? h("p.muted", null, "Also: ", others.map(([name], i) => [i ? ", " : "", h("code", null, `${name}=${page.query.get(name)}`)])) : null);
}
