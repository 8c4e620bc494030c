// The way to the next page of a list.
import {h} from "./dom.js";
import * as f from "./figures.js";

export function more(page, data) {
  if (!data.next) return data.total > 1 ? h("p.muted", null, `${f.count(data.total)} in all.`) : null;
  return h("p.more", null, `${f.count(data.recipes.length)} of ${f.count(data.total)}. `, h("a.button", {href: data.next}, "Next page"));
}
