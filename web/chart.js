// Charts as SVG, drawn anew for each width, so that their text keeps its size. Each stands beside a table that
// has its figures, and is one picture with a description to those who listen.
import {h, s} from "./dom.js";

let made = 0;

// A figure with a title and a note on it that calls draw(width) for the nodes of its picture: {height, nodes}.
export function figure(title, note, description, draw) {
  const id = `chart-${++made}`;
  const picture = s("svg", {role: "img", "aria-labelledby": `${id}-t ${id}-d`});
  const holder = h("div.canvas", null, picture);
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width < 40 || width === last) return;
    last = width;
    const {height, nodes} = draw(width);
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren(s("title", {id: `${id}-t`}, title), s("desc", {id: `${id}-d`}, description), ...nodes.flat(Infinity).filter(Boolean));
  }).observe(holder);
  return h("figure.chart", null, h("figcaption", null, h("strong", null, title), note ? h("span.unit", null, " ", note) : null), holder);
}

// Round numbers from 0 (or min) up to at least max, about so many.
export function ticks(min, max, wanted) {
  const raw = (max - min) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) * power;
  const first = Math.floor(min / step) * step;
  const values = [];
  for (let value = first; value < max + step; value += step) values.push(Number(value.toPrecision(12)));
  return values;
}

export const scale = (from, to, start, end) => (value) => start + (value - from) / (to - from) * (end - start);

const text = (x, y, anchor, content, kind) => s("text", {x, y, "text-anchor": anchor, class: kind}, content);

const BAR = {row: 46, head: 6, bar: 16, foot: 42};

function bar(row, i, x, width) {
  const top = BAR.head + i * BAR.row;
  const y = top + 20;
  const end = x(row.value);
  const whisker = row.spread ? [x(row.value - row.spread), x(row.value + row.spread)] : null;
  return s("g", {class: row.isMuted ? "muted" : null},
    text(x(0), top + 14, "start", fitting(row.label, width), "label"),
    s("rect", {x: x(0), y, width: Math.max(1, end - x(0)), height: BAR.bar, rx: 2, class: "bar"}),
    whisker ? s("path", {class: "whisker", d: `M${whisker[0]} ${y + 3}v10M${whisker[1]} ${y + 3}v10M${whisker[0]} ${y + 8}H${whisker[1]}`}) : null,
    text(Math.max(end, whisker ? whisker[1] : 0) + 6, y + 13, "start", row.text, "value"));
}

// What there is room for of words that matter less and less.
function fitting(words, width) {
  let count = words.length;
  while (count > 1 && words.slice(0, count).join(" · ").length * 7.6 > width) count--;
  return words.slice(0, count).join(" · ");
}

// Horizontal bars from zero: rows of {label: [words], value, spread, text, isMuted}.
export function bars({title, note, unit, rows, format}) {
  const most = Math.max(...rows.map((row) => row.value + (row.spread ?? 0)));
  const description = rows.map((row) => `${row.label.join(", ")}: ${row.text}`).join("; ");
  return figure(title, note, description, (width) => {
    const height = BAR.head + rows.length * BAR.row + BAR.foot;
    const values = ticks(0, most, width < 500 ? 3 : 6).filter((value, i, all) => i === 0 || all[i - 1] < most);
    const room = Math.max(...rows.map((row) => row.text.length)) * 7.6 + 12;
    const x = scale(0, values.at(-1), 2, Math.max(width - room, width * 0.45));
    const foot = BAR.head + rows.length * BAR.row + 4;
    return {height, nodes: [
      values.map((value) => [
        s("path", {class: "grid", d: `M${x(value)} ${BAR.head}V${foot}`}),
        text(x(value), foot + 15, value === 0 ? "start" : "middle", format(value), "tick")]),
      rows.map((row, i) => bar(row, i, x, width)),
      text(x(0), foot + 33, "start", unit, "axis")]};
  });
}

const PLOT = {left: 62, right: 18, top: 16, bottom: 48, height: 340};

function axes(xs, ys, x, y, width, labels) {
  const bottom = PLOT.height - PLOT.bottom;
  return [
    xs.map((value) => [s("path", {class: "grid", d: `M${x(value)} ${PLOT.top}V${bottom}`}),
      text(x(value), bottom + 16, "middle", labels.formatX(value), "tick")]),
    ys.map((value) => [s("path", {class: "grid", d: `M${PLOT.left} ${y(value)}H${width - PLOT.right}`}),
      text(PLOT.left - 8, y(value) + 4, "end", labels.formatY(value), "tick")]),
    text((PLOT.left + width - PLOT.right) / 2, PLOT.height - 10, "middle", labels.x, "axis"),
    s("text", {class: "axis", "text-anchor": "middle", transform: `translate(13 ${(PLOT.top + bottom) / 2}) rotate(-90)`}, labels.y)];
}

const isWithin = (value, values) => value >= values[0] && value <= values.at(-1);

// A limit belongs on the axis where that does not squeeze the figures.
const near = (limit, values) => (limit && limit.value < Math.max(...values) * 1.6 && limit.value > Math.min(...values) * 0.4 ? [limit.value] : []);

// A limit as a dashed line with its name, where it is within the plot.
function limits(given, x, y, width, ends) {
  const bottom = PLOT.height - PLOT.bottom;
  return [
    given.x && isWithin(given.x.value, ends.x) ? [
      s("path", {class: "limit", d: `M${x(given.x.value)} ${PLOT.top}V${bottom}`}),
      text(x(given.x.value) - 6, bottom - 8, "end", given.x.text, "limit-text")] : null,
    given.y && isWithin(given.y.value, ends.y) ? [
      s("path", {class: "limit", d: `M${PLOT.left} ${y(given.y.value)}H${width - PLOT.right}`}),
      text(PLOT.left + 6, y(given.y.value) - 6, "start", given.y.text, "limit-text")] : null];
}

// Values of an axis for these figures, from zero unless they are far from it.
function span(values, wanted) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || most) * 0.12;
  return ticks(least > most * 0.4 ? Math.max(0, least - room) : 0, most + room, wanted);
}

// What no point beats in both: the corners are the points, everything up and right of it is worse.
function staircase(points, x, y, width) {
  const line = points.filter((point) => point.isOnLine).sort((a, b) => a.x - b.x);
  return line.length ? [s("path", {class: "frontier", d: `M${x(line[0].x)} ${PLOT.top}${line.map((point) =>
    `H${x(point.x)}V${y(point.y)}`).join("")}H${width - PLOT.right}`}),
  text(width - PLOT.right - 4, y(line.at(-1).y) + 15, "end", "frontier", "frontier-text")] : null;
}

// Points on two axes: {x, y, text, kind, isOnLine}, with the frontier of those that are on it.
export function scatter({title, description, points, labels, given}) {
  return figure(title, null, description, (width) => {
    const xs = span([...points.map((point) => point.x), ...near(given.x, points.map((point) => point.x))], width < 500 ? 4 : 8);
    const ys = span([...points.map((point) => point.y), ...near(given.y, points.map((point) => point.y))], 5);
    const x = scale(xs[0], xs.at(-1), PLOT.left, width - PLOT.right);
    const y = scale(ys[0], ys.at(-1), PLOT.height - PLOT.bottom, PLOT.top);
    return {height: PLOT.height, nodes: [
      axes(xs, ys, x, y, width, labels),
      limits(given, x, y, width, {x: xs, y: ys}),
      staircase(points, x, y, width),
      points.map((point) => s("g", {class: `point ${point.kind}`},
        s("circle", {cx: x(point.x), cy: y(point.y), r: 6}),
        text(x(point.x) - 9, y(point.y) - 9, "middle", point.text, "value")))]};
  });
}
