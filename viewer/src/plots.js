// Results over time beside the animation; a line moves with the time, a click sets it.
import uPlot from "uplot";
import { between, floats, moment, short } from "./data.js";

const SPACING = 2 ** -23; // from one number of 32 bits to the next over their size: pages have the results so
const LEAST = 1e-24; // what uPlot takes for zero

// The range of a vertical axis: that of uPlot, which plots zeros from 0 to 100 and the rounding of a constant as a motion.
export function range(_, min, max) {
  if (min === null) return [null, null];
  const size = Math.max(-min, max);
  if (size < LEAST) return [-1, 1];
  if (max - min <= 2 * SPACING * size) return [(min + max) / 2 - 0.1 * size, (min + max) / 2 + 0.1 * size];
  return uPlot.rangeNum(min, max, 0.1, true);
}

const ruler = document.createElement("canvas").getContext("2d");

// Labels of a vertical axis, with as many digits as tell neighbours apart, and the room that they take, `least` at least.
export function labels(font, least) {
  return {
    font,
    values: (_, ticks) => {
      const texts = (digits) => ticks.map((x) => short(x, digits));
      return texts([4, 5, 6, 7, 8].find((digits) => new Set(texts(digits)).size === ticks.length) ?? 9);
    },
    size: (_, texts) => {
      ruler.font = font;
      return Math.max(least, ...(texts ?? []).map((text) => ruler.measureText(text).width + 6));
    },
  };
}

export class Plots {
  constructor(panels, instants, box, seek) {
    this.instants = instants;
    this.box = box;
    this.panels = panels.map((panel) => this.made(panel, seek));
    box.parentElement.classList.toggle("bare", !panels.length);
  }

  made(panel, seek) {
    const values = floats(panel.values);
    const figure = element("figure", "panel");
    const heading = element("figcaption", "");
    const name = element("span", "name", panel.name);
    const now = element("output", "");
    heading.append(name, now);
    if (panel.description) heading.title = panel.description;
    const body = element("div", "curve");
    figure.append(heading, body);
    this.box.append(figure);
    const colour = (word) => () => getComputedStyle(document.body).getPropertyValue(word).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const options = {
      width: 300,
      height: 130,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false } },
      scales: { x: { time: false }, y: { range } },
      axes: [{ ...axis, size: 22, gap: 2 }, { ...axis, gap: 3, ...labels(axis.font, 52) }],
      series: [{}, { stroke: colour("--curve"), width: 1.6, points: { show: false } }],
    };
    const data = [Array.from(this.instants), finite(values)];
    if (panel.other) {
      options.series.push({ stroke: colour("--other"), width: 1.6, dash: [5, 4], points: { show: false } });
      data.push(finite(floats(panel.other)));
      const legend = element("span", "legend", panel.label);
      legend.append(element("span", "other", panel["other label"]));
      heading.insertBefore(legend, now);
    }
    const plot = new uPlot(options, data, body);
    const line = element("div", "now");
    plot.over.append(line);
    plot.over.addEventListener("click", () => plot.cursor.left >= 0 && seek(plot.posToVal(plot.cursor.left, "x")));
    const size = values.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
    return { ...panel, values, plot, now, line, body, size };
  }

  panel(name) {
    const panel = this.panels.find((one) => one.name === name);
    if (!panel) throw new RangeError(`no plot shows "${name}"; known: ${this.panels.map((one) => one.name).join(", ")}`);
    return panel;
  }

  range(name) {
    const { min, max } = this.panel(name).plot.scales.y;
    return [min, max];
  }

  value(name, time) {
    const panel = this.panel(name);
    return between(panel.values, moment(this.instants, time));
  }

  update(time) {
    for (const { name, unit, plot, now, line, size } of this.panels) {
      now.textContent = `${shown(this.value(name, time), size)} ${unit}`;
      line.style.transform = `translateX(${plot.valToPos(time, "x").toFixed(1)}px)`;
    }
  }

  resize() {
    for (const { plot, body } of this.panels) if (body.clientWidth) plot.setSize({ width: body.clientWidth, height: Math.max(80, body.clientHeight) });
  }

  redraw() {
    for (const { plot } of this.panels) plot.redraw(false, true);
  }
}

// A value beside others of a size: what round-off in 32 bits can leave of a zero is shown as 0.
function shown(x, size) {
  return Math.abs(x) < 2 ** -24 * size ? "0" : short(x);
}

function finite(values) {
  return Array.from(values, (x) => (Number.isFinite(x) ? x : null));
}

export function element(tag, kind, text = "") {
  const out = document.createElement(tag);
  if (kind) out.className = kind;
  if (text) out.textContent = text;
  return out;
}
