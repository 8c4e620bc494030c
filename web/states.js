// What is shown in place of content: while loading, where there is none, and when something went wrong.
import {h} from "./dom.js";

export function loading() {
  return h("div", {class: "loading"},
    h("p", {class: "unseen", role: "status"}, "Loading"),
    h("div.bone.wide"), h("div.bone"), h("div.bone.tall"), h("div.bone.tall"));
}

// Nothing to list, and what to do about it.
export function empty(title, ...more) {
  return h("div", {class: "empty"}, h("p.strong", null, title), more.length ? h("p", null, more) : null);
}

const titles = {
  0: "The service does not answer",
  400: "This address asks for something that does not exist",
  404: "Nothing is here",
  410: "This recipe was withdrawn",
  503: "The service is not ready",
};

// Where in the path an issue's parameter stands; 0 for one of the query.
function placeOf(issue) {
  const place = {model: 2, gpu: 3, recipe: 4}[issue.parameter] ?? 0;
  return location.pathname.split("/").length > place && location.pathname.startsWith("/models/") ? place : 0;
}

// The nearest names, as links where they stand in the path.
function near(issue) {
  const names = issue.did_you_mean ?? [];
  const places = location.pathname.split("/");
  const at = placeOf(issue);
  if (!names.length) return null;
  return [" Did you mean ", names.slice(0, 5).flatMap((name, i) => [i ? ", " : "",
    at ? h("a", {href: [...places.slice(0, at), name, ...places.slice(at + 1)].join("/")}, name) : h("code", null, name)]), "?"];
}

const ended = (text) => (/[.?!]$/.test(text) ? text : `${text}.`);
const sentence = (text) => ended(text.charAt(0).toUpperCase() + text.slice(1));

// What is wrong, and each thing on a line of its own where there are several.
function explain(error) {
  const list = error.document?.errors ?? [];
  if (list.length === 1 && placeOf(list[0])) return h("p", null, sentence(list[0].detail), near(list[0]));
  return list.length ? h("ul", null, list.map((issue) => h("li", null,
    issue.parameter ? [h("code", null, issue.parameter), ": ", ended(issue.detail)] : sentence(issue.detail), near(issue))))
    : h("p", null, sentence(error.message));
}

// An error in place of content, with a heading of this level. A Problem is the service's own; anything else is a
// mistake of the page.
export function trouble(error, again, level = "h1") {
  const isProblem = error.status !== undefined;
  const title = isProblem ? titles[error.status] ?? `The service answered with status ${error.status}` : "This page made a mistake";
  const document = error.document ?? {};
  const isPassing = !isProblem || error.status === 0 || error.status >= 500 || error.status === 429;
  return {title, body: h("section.trouble", {role: "alert"},
    h(level, null, title),
    explain(error),
    h("p.actions", null,
      isPassing ? h("button", {type: "button", "data-key": "again", onclick: again}, "Try again") : null,
      document.links?.history ? h("a.button", {href: document.links.history}, "Its history") : null,
      h("a.button", {href: "/"}, "All models and GPUs")),
    document.instance ? h("p.muted", null, "Request ", h("code", null, document.instance), ", status ", String(error.status)) : null)};
}
