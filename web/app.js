// The frame around every view: which view an address has, going from one to the next, and what is shown while
// there is nothing to show. Each view is a module that exports view(page), which resolves to {title, body}.
import {h} from "./dom.js";
import {Query, dataAddress, getJson} from "./api.js";
import {loading, trouble} from "./states.js";

// Addresses, their views, and the forms that they have as data.
const LIST = ["json", "csv", "ndjson", "txt"];
const views = [
  [/^\/(models)?$/, "matrix", ["json"]],
  [/^\/models\/([^/]+)$/, "model", ["json"]],
  [/^\/models\/([^/]+)\/([^/]+)$/, "ranking", [...LIST, "atom"]],
  [/^\/models\/([^/]+)\/([^/]+)\/([^/@]+)$/, "recipe", ["json", "yaml", "sh", "bib"]],
  [/^\/models\/([^/]+)\/([^/]+)\/([^/]+@[^/]+)$/, "recipe", ["json", "yaml", "sh"]],
  [/^\/models\/([^/]+)\/([^/]+)\/([^/]+)\/history$/, "history", ["json"]],
  [/^\/recipes$/, "recipes", [...LIST, "atom"]],
  [/^\/verifications$/, "verifications", LIST],
  [/^\/plan$/, "plan", ["json", "txt"]],
  [/^\/compare$/, "compare", ["json", "txt"]],
  [/^\/docs$/, "docs", []],
];

// Loading that takes less than this shows nothing, so that quick pages do not flicker.
const PATIENCE_MS = 150;

const main = document.getElementById("main");
let current = new AbortController();
let shown = "";

const addressNow = () => location.pathname + location.search;

function viewOf(path) {
  const plain = path.replace(/\.html$/, "").replace(/(.)\/$/, "$1");
  for (const [pattern, name, forms] of views) {
    const match = pattern.exec(plain);
    if (match) return {name, forms, path: plain, args: match.slice(1)};
  }
  return null;
}

// What a view sees of its address.
class Page {
  constructor(found, location, signal) {
    this.path = found.path;
    this.args = found.args;
    this.forms = found.forms;
    this.query = new Query(location.search);
    this.signal = signal;
  }

  get address() {
    return this.path + this.query;
  }

  // This address's data, or that of another.
  data(path = this.path, query = this.query) {
    return getJson(dataAddress(path, String(query)), {signal: this.signal});
  }

  // Change the query in the address: a step that the back button undoes, or a silent one.
  keep(query, isStep) {
    this.query = query;
    const entry = [{}, "", this.address];
    if (isStep) {
      rememberScroll();
      history.pushState(...entry);
    } else history.replaceState(...entry);
    shown = addressNow();
    markForms(this);
  }

  // An address with the prices that this page is shown at.
  link(path) {
    const [plain, text = ""] = path.split("?");
    const query = new Query(text);
    for (const name of ["price", "purchase", "provider"]) {
      if (this.query.get(name)) query.set(name, this.query.get(name));
    }
    return plain + query;
  }
}

function markForms(page) {
  document.querySelector(".forms").replaceChildren(...(page?.forms.length ? ["This page as ", ...page.forms.flatMap((form, i) => [i ? ", " : "",
    h("a", {href: dataAddress(page.path, String(page.query), form)}, form)]), "."] : []));
}

function markSection(path) {
  for (const link of document.querySelectorAll("nav[aria-label=Sections] a")) {
    const own = link.getAttribute("href");
    const isOwn = own === "/" ? /^\/(models.*)?$/.test(path) : path === own;
    if (isOwn) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function rememberScroll() {
  history.replaceState({...history.state, y: Math.round(scrollY)}, "");
}

// An address that no view has: the service says what is wrong with it.
async function unknown(signal) {
  await getJson(addressNow(), {signal, headers: {Accept: "application/json"}});
  location.reload();
}

// A view's module. Some browsers remember for the life of the document that a module did not come: once the service
// answers again, only loading anew helps.
async function load(name, signal, isFirst) {
  try {
    return await import(`./${name}.js`);
  } catch (error) {
    await getJson("/healthz", {signal});
    if (isFirst) throw error;
    location.reload();
    return null;
  }
}

async function make(signal, isFirst) {
  const found = viewOf(location.pathname);
  if (!found) return unknown(signal);
  const page = new Page(found, location, signal);
  markForms(page);
  const module = await load(found.name, signal, isFirst);
  return module?.view(page);
}

// Show the address that the browser is at.
async function show({isFirst = false, y = 0} = {}) {
  current.abort();
  current = new AbortController();
  shown = addressNow();
  const {signal} = current;
  const patience = setTimeout(() => main.replaceChildren(loading()), isFirst ? 0 : PATIENCE_MS);
  let made;
  main.setAttribute("aria-busy", "true");
  markSection(location.pathname);
  try {
    made = await make(signal, isFirst);
  } catch (error) {
    made = trouble(error, () => show());
    if (!signal.aborted) markForms(null);
  }
  clearTimeout(patience);
  if (signal.aborted || !made) return;
  document.title = made.title === "OpenRecipes" ? made.title : `${made.title} · OpenRecipes`;
  main.replaceChildren(...[made.body].flat(Infinity).filter(Boolean));
  main.removeAttribute("aria-busy");
  scrollTo(0, y);
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target) target.scrollIntoView();
  else if (!isFirst) main.focus({preventScroll: true});
}

function isPlainClick(event) {
  return event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

// Links to our own views are followed here, so that a view stays in sight until the next one is there.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || !isPlainClick(event) || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !viewOf(to.pathname) || (to.hash && to.pathname === location.pathname)) return;
  event.preventDefault();
  rememberScroll();
  history.pushState({}, "", to.href);
  show();
});

// A step within the page, to a heading of it, is the browser's own.
addEventListener("popstate", (event) => {
  if (addressNow() !== shown) show({y: event.state?.y ?? 0});
});
addEventListener("online", () => main.querySelector("[data-key=again]")?.click());
history.scrollRestoration = "manual";
addEventListener("pagehide", rememberScroll);
document.body.prepend(h("div", {id: "said", class: "unseen", role: "status"}));
show({isFirst: true, y: history.state?.y ?? 0});
