// Building the document. What comes from the service is only ever text: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

// Make an element: h("td.num", {colspan: 2}, "text", other). Children that are null, false or "" are left out.
export function h(spec, attributes, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, attributes, children);
}

// Make an element of SVG.
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A link to elsewhere; an address that is not http(s) stays text.
export function outside(address, ...children) {
  const text = children.length ? children : [address];
  return /^https?:\/\//i.test(address ?? "") ? h("a", {href: address, rel: "noopener noreferrer"}, text) : text;
}

// Change an element's content and keep the focus on the control that had it, found by its data-key.
export function redraw(element, ...children) {
  const key = element.contains(document.activeElement) && document.activeElement.dataset.key;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
}
