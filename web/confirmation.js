// Whether a stated count of active parameters was recomputed from the hub, and what it is made of.
import {h} from "./dom.js";
import * as f from "./figures.js";
import {badge, facts, table} from "./parts.js";

const results = {confirmed: "pass", contradicted: "fail", not_checked: "unknown"};
const shown = new Set(["status", "stated", "computed", "checked_at"]);

// Members that a later version adds are shown by their names.
function others(data) {
  return Object.entries(data).filter(([key, value]) => !shown.has(key) && value !== null && typeof value !== "object")
    .map(([key, value]) => [key.replaceAll("_", " "), typeof value === "number" ? f.count(value) : String(value)]);
}

function breakdown(data) {
  const groups = Object.entries(data).filter(([, value]) => value && typeof value === "object" && !Array.isArray(value));
  return groups.map(([name, parts]) => table(name.replaceAll("_", " "),
    [h("th", {scope: "col"}, name.replaceAll("_", " ")), h("th.num", {scope: "col"}, "parameters")],
    Object.entries(parts).filter(([, value]) => typeof value !== "object" && value !== null).map(([part, value]) =>
      h("tr", null, h("th", {scope: "row"}, part.replaceAll("_", " ")),
        h("td.num", null, typeof value === "number" ? f.plain(value) : String(value))))));
}

export function confirmation(data) {
  const words = data.status.replaceAll("_", " ");
  return [
    h("p", null, badge(results[data.status] ?? "warn", words),
      data.status === "not_checked" ? " The count is the recipe's own; nobody has recomputed it from the weights yet." : null),
    facts([
      ["Stated", `${f.count(data.stated)} per token`],
      ["Computed", data.computed === null ? null : f.count(data.computed)],
      ["Checked", data.checked_at && f.moment(data.checked_at)],
      ...others(data)]),
    breakdown(data)];
}
