// The page: the mechanism, its plots, and what plays them. Texts of a model are only ever set as text.
import { round125, short } from "./data.js";
import { Plots, element } from "./plots.js";
import { Stage } from "./stage.js";

const LAYERS = ["shapes", "masses", "joints", "ground", "motors", "gears", "links", "traces", "applied", "reactions",
  "drives", "springs", "gravity", "labels", "grid", "world axes", "body axes"];
const WORDS = { shapes: "bodies", links: "springs, dampers, rods", applied: "applied loads", reactions: "reactions of joints", drives: "efforts of drives", springs: "forces of springs", gravity: "weights" };
const SILENT = ["reactions", "drives", "springs", "gravity", "labels", "body axes"];

const find = (id) => document.getElementById(id);
const content = JSON.parse(find("content").textContent);
const { scene, panels, options } = content;
find("title").textContent = scene.title;
document.title = scene.title;

let stage = null;
try {
  stage = new Stage(scene, find("canvas"), find("labels"));
} catch (error) {
  find("scale").textContent = "This browser shows no 3-D graphics (WebGL): switch it on in its settings.";
}
const instants = stage ? stage.instants : new Float32Array([0, 1]);
const [begin, end] = [instants[0], instants[instants.length - 1]];
const plots = new Plots(panels, instants, find("plots"), (t) => seek(t));

let time = begin;
let playing = false;
let speed = options.speed || pace(end - begin);
let last = 0;

// Real time where a run lasts seconds; else as fast as makes it last six.
function pace(span) {
  return span >= 2 && span <= 20 ? 1 : span > 0 ? round125(span / 6) : 1;
}

function seek(t) {
  play(false);
  go(t);
}

function go(t) {
  time = Math.min(Math.max(t, begin), end);
  find("scrub").value = time;
  find("time").textContent = clock(time);
  if (stage) stage.update(time);
  plots.update(time);
}

function clock(t) {
  const span = end - begin;
  const [factor, unit] = span < 0.2 ? [1e3, "ms"] : [1, "s"];
  const digits = Math.max(0, 3 - Math.ceil(Math.log10(span * factor || 1)));
  return `${(t * factor).toFixed(digits)} ${unit}`;
}

function play(on) {
  playing = on;
  find("play").textContent = on ? "❚❚" : "▶";
  find("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (on) {
    if (time >= end) go(begin);
    last = performance.now();
    requestAnimationFrame(tick);
  }
}

function tick(now) {
  if (!playing) return;
  const next = time + ((now - last) / 1000) * speed;
  last = now;
  go(next > end ? (end > begin ? begin : end) : next);
  requestAnimationFrame(tick);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  if (stage) stage.theme(name);
  plots.redraw();
}

function show(name, on) {
  if (!LAYERS.includes(name)) throw new RangeError(`no layer is called "${name}"; known: ${LAYERS.join(", ")}`);
  if (!stage) return;
  stage.show(name, on);
  const box = document.querySelector(`input[data-layer="${name}"]`);
  if (box) box.checked = on;
  find("scale").textContent = stage.scaleText();
  find("arrows").hidden = !stage.loads.some(({ holder }) => holder.visible);
}

function follow(body) {
  if (!stage) return;
  const index = scene.bodies.findIndex((one) => one.name === body);
  if (body && index < 0) throw new RangeError(`no body is called "${body}"`);
  stage.follow(index);
  find("follow").value = body || "";
}

function menus() {
  for (const name of LAYERS.filter((one) => stage?.layers[one] || one === "labels")) {
    const box = element("input");
    box.type = "checkbox";
    box.dataset.layer = name;
    box.addEventListener("change", () => show(name, box.checked));
    const label = element("label", "");
    label.append(box, document.createTextNode(` ${WORDS[name] || name}`));
    find("layers").append(label);
    show(name, !SILENT.includes(name));
  }
  for (const body of scene.bodies) {
    const option = element("option", "", body.name);
    option.value = body.name;
    find("follow").append(option);
  }
  const base = [0.1, 0.25, 0.5, 1, 2, 4].map((factor) => factor * speed);
  for (const value of [...new Set([...base, 1])].sort((a, b) => a - b)) {
    const option = element("option", "", `× ${short(value)}`);
    option.value = value;
    option.selected = value === speed;
    find("speed").append(option);
  }
}

function listen() {
  find("play").addEventListener("click", () => play(!playing));
  find("scrub").addEventListener("input", (event) => seek(Number(event.target.value)));
  find("speed").addEventListener("change", (event) => (speed = Number(event.target.value)));
  find("follow").addEventListener("change", (event) => follow(event.target.value));
  find("arrows").addEventListener("input", (event) => {
    stage.arrowScale = 10 ** Number(event.target.value);
    find("scale").textContent = stage.scaleText();
    stage.update(time);
  });
  find("theme").addEventListener("click", () => theme(stage?.dark ? "light" : "dark"));
  for (const button of document.querySelectorAll("[data-look]")) {
    button.addEventListener("click", () => stage.look(button.dataset.look));
  }
  find("canvas").addEventListener("pointerdown", () => stage && (stage.touched = true));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("select, input[type=checkbox], button")) return;
    const step = (end - begin) / 100;
    if (event.key === " ") play(!playing);
    else if (event.key === "ArrowRight") seek(time + step);
    else if (event.key === "ArrowLeft") seek(time - step);
    else return;
    event.preventDefault();
  });
}

function arrange() {
  const box = find("stage").getBoundingClientRect();
  if (stage && box.width && box.height) stage.resize(box.width, box.height);
  plots.resize();
  plots.update(time);
}

Object.assign(find("scrub"), { min: begin, max: end, step: (end - begin) / 2000 || 1 });
if (stage) stage.update(begin);
menus();
listen();
new ResizeObserver(arrange).observe(find("stage"));
arrange();
const dark = window.matchMedia("(prefers-color-scheme: dark)");
theme(options.theme || (dark.matches ? "dark" : "light"));
if (!options.theme) dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
if (stage) {
  stage.look(options.look || "start");
  stage.arranged = true;
}
for (const name of options.show || []) show(name, true);
for (const name of options.hide || []) show(name, false);
if (options.follow) follow(options.follow);
go(begin);

window.cardan = {
  get time() { return time; },
  set time(t) { seek(t); },
  get playing() { return playing; },
  span: [begin, end],
  bodies: scene.bodies.map((one) => one.name),
  values: panels.map((one) => one.name),
  // Position [m] and unit quaternion w, x, y, z of a body at the time that is shown.
  pose(body) {
    const index = scene.bodies.findIndex((one) => one.name === body);
    if (index < 0) throw new RangeError(`no body is called "${body}"; known: ${this.bodies.join(", ")}`);
    const { position, turn } = stage.pose(index, stage.state);
    return { position: position.toArray(), orientation: [turn.w, turn.x, turn.y, turn.z] };
  },
  // Where a point (x, y, z) of the world stands in the picture, in CSS pixels from its upper left corner.
  pixel(point) {
    return stage.pixel(point);
  },
  value: (name) => plots.value(name, time),
  play: () => play(true),
  pause: () => play(false),
  look: (name) => stage.look(name),
  show,
  follow,
  theme,
  // Only the mechanism, its title and the time: for pictures and films.
  picture(on = true) {
    document.body.classList.toggle("picture", on);
    arrange();
    if (stage) stage.look(options.look || "start");
    go(time);
  },
};
if (options.play && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
