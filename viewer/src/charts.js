// Results of runs over time: one panel for each result, all runs in it. Texts of a run are only ever set as text.
import uPlot from "uplot";
import { between, floats, moment, short } from "./data.js";
import { element, labels, range } from "./plots.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];
const DASHES = [[], [7, 4], [7, 3, 2, 3], [2, 3]];

const find = (id) => document.getElementById(id);
const { title, runs, panels, zoomed: first } = JSON.parse(find("content").textContent);
find("title").textContent = title;
document.title = title;

const instants = runs.map((run) => floats(run.t));
const whole = [Math.min(...instants.map((t) => t[0])), Math.max(...instants.map((t) => t[t.length - 1]))];
const sync = uPlot.sync("time");
let span = whole;
let moving = false;

const plots = panels.map(made);
legend();

function made(panel, index) {
  const values = panel.curves.map((curve) => floats(curve.values));
  const figure = element("figure", "panel");
  const heading = element("figcaption", "");
  heading.append(element("span", "name", panel.name), element("span", "unit", panel.unit && `[${panel.unit}]`), element("span", "words", panel.description));
  const now = element("output", "");
  heading.append(now);
  const body = element("div", "curve");
  figure.append(heading, body);
  find("plots").append(figure);

  const colour = (word) => () => getComputedStyle(document.body).getPropertyValue(word).trim();
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  const several = panel.curves.some((curve) => curve.component);
  const series = panel.curves.map((curve, k) => ({
    label: [runs.length > 1 ? runs[curve.run].label : "", curve.component].filter(Boolean).join(", ") || panel.name,
    stroke: COLOURS[(several ? curve.column : curve.run) % COLOURS.length],
    dash: DASHES[curve.run % DASHES.length],
    width: 1.7,
    points: { show: false },
  }));
  const tables = panel.curves.map((curve, k) => [Array.from(instants[curve.run]), Array.from(values[k], (x) => (Number.isFinite(x) ? x : null))]);
  const options = {
    width: 600,
    height: 180,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
    scales: { x: { time: false }, y: { range } },
    axes: [
      { ...axis, size: index === panels.length - 1 ? 38 : 24, gap: 3, label: index === panels.length - 1 ? "time [s]" : undefined, labelSize: 16, labelFont: "12px system-ui" },
      { ...axis, gap: 4, ...labels(axis.font, 66) },
    ],
    series: [{}, ...series],
    hooks: {
      setScale: [(plot, key) => key === "x" && zoomed(plot)],
      setCursor: [(plot) => tell(now, plot, panel, values)],
    },
  };
  const plot = new uPlot(options, uPlot.join(tables), body);
  plot.over.addEventListener("dblclick", () => zoom(...whole));
  if (several) {
    const keys = element("span", "keys");
    for (const column of new Set(panel.curves.map((curve) => curve.column))) {
      keys.append(key(COLOURS[column % COLOURS.length], [], panel.curves.find((curve) => curve.column === column).component));
    }
    heading.insertBefore(keys, now);
  }
  return { ...panel, values, plot, body };
}

function key(colour, dashes, text) {
  const box = element("span", "key");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  line.setAttribute("width", 26);
  line.setAttribute("height", 8);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [name, value] of Object.entries({ d: "M0 4H26", stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes.join(" ") })) path.setAttribute(name, value);
  line.append(path);
  box.append(line, element("span", "", text));
  return box;
}

// One legend for all runs: colours tell scalars of runs apart, dashes vectors.
function legend() {
  if (runs.length < 2) return;
  runs.forEach((run, k) => find("legend").append(key(COLOURS[k % COLOURS.length], DASHES[k % DASHES.length], run.label)));
}

function tell(box, plot, panel, values) {
  const t = plot.cursor.left >= 0 ? plot.posToVal(plot.cursor.left, "x") : null;
  find("time").textContent = t === null ? "" : `t = ${short(t)} s`;
  box.textContent = t === null ? "" : panel.curves.map((curve, k) => short(at(curve.run, values[k], t))).join("   ");
}

function at(run, values, t) {
  return between(values, moment(instants[run], t));
}

function zoomed(plot) {
  if (moving) return;
  span = [plot.scales.x.min, plot.scales.x.max];
  moving = true;
  for (const other of plots || []) if (other.plot !== plot) other.plot.setScale("x", { min: span[0], max: span[1] });
  moving = false;
  find("reset").hidden = span[0] <= whole[0] && span[1] >= whole[1];
}

function zoom(begin, end) {
  if (!(begin < end)) throw new RangeError(`a span from ${begin} to ${end} s is empty`);
  plots[0].plot.setScale("x", { min: begin, max: end });
}

function arrange() {
  for (const { plot, body } of plots) if (body.clientWidth) plot.setSize({ width: body.clientWidth, height: body.clientHeight });
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  for (const { plot } of plots) plot.redraw(false, true);
}

find("reset").addEventListener("click", () => zoom(...whole));
find("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
const dark = window.matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
theme(dark.matches ? "dark" : "light");
new ResizeObserver(arrange).observe(find("plots"));
arrange();
if (first) zoom(...first);

window.cardan = {
  runs: runs.map((run) => run.label),
  names: panels.map((panel) => panel.name),
  get span() { return span; },
  // Value of a result, or of a component of one, at an instant of a run.
  value(name, t, run = 0) {
    for (const { curves, values } of plots) {
      const k = curves.findIndex((curve) => curve.name === name && curve.run === run);
      if (k >= 0) return at(run, values[k], t);
    }
    const known = panels.flatMap((panel) => panel.curves.map((curve) => curve.name));
    throw new RangeError(`no plot shows "${name}" of run ${run}; known: ${[...new Set(known)].join(", ")}`);
  },
  zoom,
  theme,
};
