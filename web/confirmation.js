// Whether a stated count of active parameters was recounted from the checkpoint, and what it is made of.
import {h, outside} from "./dom.js";
import * as f from "./figures.js";
import {badge, facts, table} from "./parts.js";

export const outcomes = {confirmed: "pass", contradicted: "fail", not_checked: "unknown"};

const said = {
  confirmed: "Recounted from the checkpoint: the same number.",
  not_checked: "The count is the recipe's own; it has not been recounted from the checkpoint yet.",
};

const leftOut = {vision: "vision tower", audio: "audio tower", mtp: "multi-token prediction", per_layer_embeddings: "per-layer embeddings",
  small: "norms, biases and other small tensors"};

// What the count is made of, then what it leaves out, down to all of the checkpoint.
function breakdown(data) {
  const of = data.breakdown;
  if (!of) return null;
  const active = of.experts ? of.routed * of.experts_per_token / of.experts : of.routed;
  const rows = [
    ["", "embedding", of.embedding],
    ["", "output head", of.head],
    ["", "dense layers", of.dense],
    ["", of.experts ? `routed experts, ${of.experts_per_token} of ${of.experts} (all: ${f.count(of.routed)})` : "routed experts", active]];
  const out = [
    ["", "the other routed experts", of.routed - active],
    ...Object.entries(of.left_out).map(([name, value]) => ["", leftOut[name] ?? name.replaceAll("_", " "), value])];
  const line = ([kind, name, value]) => h(kind ? `tr.${kind}` : "tr", null, h("th", {scope: "row"}, name), h("td.num", null, f.count(value)));
  const notNone = (list) => list.filter(([, , value]) => value);
  return table("What the count is made of", [h("th", {scope: "col"}, "Part"), h("th.num", {scope: "col"}, "Parameters")], [
    ...notNone(rows), ["sum", "active per token", data.computed],
    ...notNone(out), ["sum", "all of the checkpoint", of.total]].map(line), "breakdown");
}

export function confirmation(data) {
  const place = data.repository && `https://huggingface.co/${data.repository}/tree/${data.revision}`;
  return [
    h("p", null, badge(outcomes[data.status] ?? "warn", data.status.replaceAll("_", " ")), " ", data.reason ?? said[data.status]),
    h("div.duo", null,
      facts([
        ["Stated", `${f.count(data.stated)} per token`],
        ["Recounted", data.computed !== null && `${f.count(data.computed)} per token`],
        ["Checkpoint", place && [outside(place, data.repository), h("span.muted", null, " at ", h("code", null, data.revision.slice(0, 12)))]],
        ["Checked", data.checked_at && f.moment(data.checked_at)],
        ["All, by the hub", data.hub_total && `${f.count(data.hub_total)}, ${data.hub_total_agrees ? "the same as counted" : "not what was counted"}`],
        ["Read", data.requests && `${f.count(data.requests)} requests, ${f.count(data.bytes)} bytes`],
        ["Headers", data.breakdown && `${f.count(data.breakdown.tensors)} tensors in ${f.count(data.breakdown.shards)} files`]]),
      breakdown(data))];
}
