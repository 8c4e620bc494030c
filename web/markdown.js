// A small, strict part of Markdown: paragraphs, headings, lists, code, emphasis and links. Everything else, HTML
// included, is text. The document is built node by node, so that no text can become anything but text.
import {h, outside} from "./dom.js";

// One of: `code`, **strong**, *emphasis*, [text](address).
const inline = /(`+)(.+?)\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|\*(\S(?:.*?\S)?)\*(?!\*)|\[([^\]]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:])/;

// Emphasis inside of emphasis, and lists inside of lists, go this deep; the rest is text.
const DEPTH = 4;

// A paragraph of more characters is text as it stands: looking for pairs in it could take long.
const LONGEST = 20000;

export function spans(text, depth = 0) {
  const nodes = [];
  let rest = text;
  if (text.length > LONGEST) return text;
  for (let match = inline.exec(rest); match && depth < DEPTH; match = inline.exec(rest)) {
    const [all, , code, strong, emphasis, label, address, bare] = match;
    nodes.push(rest.slice(0, match.index));
    if (code !== undefined) nodes.push(h("code", null, code));
    else if (strong !== undefined) nodes.push(h("strong", null, spans(strong, depth + 1)));
    else if (emphasis !== undefined) nodes.push(h("em", null, spans(emphasis, depth + 1)));
    else if (bare !== undefined) nodes.push(outside(bare));
    else nodes.push(outside(address, spans(label, depth + 1)));
    rest = rest.slice(match.index + all.length);
  }
  nodes.push(rest);
  return nodes;
}

const bullet = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;

// Lines of a list into items; lines that are indented deeper belong to the item above.
function list(lines, depth) {
  const indent = bullet.exec(lines[0])[1].length;
  const isOrdered = /^\s*\d/.test(lines[0]);
  const items = [];
  for (const line of lines) {
    const match = bullet.exec(line);
    if (match && match[1].length <= indent) items.push([match[2]]);
    else items.at(-1).push(line.replace(/^ {1,4}/, ""));
  }
  return h(isOrdered ? "ol" : "ul", null, items.map((item) => h("li", null, blocks(item, depth + 1))));
}

// How many lines from the first on belong to one block.
function extent(lines) {
  if (/^\s*```/.test(lines[0])) {
    const end = lines.findIndex((line, i) => i > 0 && /^\s*```\s*$/.test(line));
    return end < 0 ? lines.length : end + 1;
  }
  if (/^#{1,6}\s/.test(lines[0])) return 1;
  const isList = bullet.test(lines[0]);
  const end = lines.findIndex((line, i) => i > 0 && (!line.trim()
    ? !(isList && /^\s/.test(lines[i + 1] ?? ""))
    : /^#{1,6}\s|^\s*```/.test(line) || (!isList && bullet.test(line))));
  return end < 0 ? lines.length : end;
}

function block(lines, depth) {
  if (/^\s*```/.test(lines[0])) {
    return h("pre", {tabindex: "0"}, h("code", null, lines.slice(1).filter((line, i) => i < lines.length - 2 || !/^\s*```/.test(line)).join("\n")));
  }
  if (/^#{1,6}\s/.test(lines[0])) return h("h3", null, spans(lines[0].replace(/^#+\s+/, "")));
  if (bullet.test(lines[0]) && depth < DEPTH) return list(lines, depth);
  const text = spans(lines.map((line) => line.trim()).join(" "));
  return depth ? text : h("p", null, text);
}

function blocks(lines, depth) {
  const nodes = [];
  for (let rest = lines; rest.length;) {
    const length = rest[0].trim() ? extent(rest) : 1;
    if (rest[0].trim()) nodes.push(block(rest.slice(0, length), depth));
    rest = rest.slice(length);
  }
  return nodes;
}

export function markdown(text) {
  return h("div.prose", null, blocks(text.split(/\r\n?|\n/), 0));
}
