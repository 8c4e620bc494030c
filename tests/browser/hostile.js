// A recipe that is valid, and whose every text field tries to be more than text.
import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

export const HOSTILE = "<img src=x onerror=alert(1)> \"quoted\" 'single' & &lt; </script><script>alert(2)</script> " +
  "`code` **strong** [link](javascript:alert(3)) {{assets}} שלום עולם مرحبا 🚀👩‍👩‍👧 " + "Wort".repeat(60);

// Fields whose form is checked keep what they have, and so do dates, hashes and addresses.
const KEPT = new Set(["model", "type", "status", "precision", "result", "configuration", "revision", "rows_sha256",
  "granularity", "method", "dispatcher", "measured", "date", "run", "url", "gpu"]);

function spoil(node, path = []) {
  const name = path.at(-1);
  if (Array.isArray(node)) return node.map((child, i) => spoil(child, [...path, i]));
  if (node && typeof node === "object") {
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, spoil(child, [...path, key])]));
  }
  if (typeof node !== "string" || KEPT.has(name) || path.includes("active_params")) return node;
  return HOSTILE;
}

// Write the recipe below folder; JSON is YAML. Returns the folder to import.
export function writeHostile(folder, document) {
  const place = join(folder, "hostile", "recipes", document.model.toLowerCase(), document.gpu.type.toLowerCase());
  const spoilt = spoil(document);
  spoilt.run = `echo '${HOSTILE}'\n`;
  mkdirSync(place, {recursive: true});
  writeFileSync(join(place, "hostile.yaml"), JSON.stringify(spoilt, null, 1));
  return join(folder, "hostile");
}
