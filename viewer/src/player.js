// The mechanism, its plots, and what plays them, in the elements of the page. Texts of a model are only ever set as text.
import LOOK from "../../src/cardan/view/scene/look.json";
import { floats, round125, short } from "./data.js";
import { Flat } from "./flat.js";
import { Plots, element } from "./plots.js";
import { Stage } from "./stage.js";

const LAYERS = ["shapes", "masses", "joints", "ground", "motors", "gears", "links", "traces", "applied", "reactions",
  "drives", "springs", "gravity", "labels", "grid", "world axes", "body axes"];
const WORDS = { shapes: "bodies", links: "springs, dampers, rods", applied: "applied loads", reactions: "reactions of joints", drives: "efforts of drives", springs: "forces of springs", gravity: "weights" };

const find = (id) => document.getElementById(id);

export class Player {
  constructor(options = {}) {
    this.options = options;
    this.shown = {};
    this.stage = null;
    this.time = 0;
    this.playing = false;
    this.speed = options.speed || 0;
    for (const name of options.show || []) this.shown[name] = true;
    for (const name of options.hide || []) this.shown[name] = false;
    this.listen();
    new ResizeObserver(() => this.arrange()).observe(find("stage"));
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.theme(options.theme || (dark.matches ? "dark" : "light"));
    // The page that shows this one in a frame may choose the colours, and nothing else.
    window.addEventListener("message", ({ source, data }) => {
      if (source === window.parent && source !== window && ["light", "dark"].includes(data?.theme)) this.theme(data.theme);
    });
    if (!options.theme) dark.addEventListener("change", () => this.theme(dark.matches ? "dark" : "light"));
  }

  // Shows another run; of the same mechanism, camera, layers, speed and time stay as they are.
  load({ scene, panels }) {
    const names = (one) => one.bodies.map((body) => body.name).join("\n");
    const same = this.scene && names(this.scene) === names(scene);
    const before = this.stage || this.resting;
    this.scene = scene;
    find("title").textContent = scene.title;
    document.title = scene.title;
    this.stage = null;
    this.resting = before; // the canvas has one renderer for ever
    find("canvas").hidden = !scene.bodies.length;
    if (!scene.bodies.length) find("scale").textContent = "The model has no bodies: its results are in the plots.";
    else try {
      this.stage = new Stage(scene, find("canvas"), find("labels"), before);
    } catch (error) {
      find("scale").textContent = "This browser shows no 3-D graphics (WebGL): switch it on in its settings.";
    }
    const { stage } = this;
    this.instants = floats(scene.instants);
    this.begin = this.instants[0];
    this.end = this.instants[this.instants.length - 1];
    find("plots").replaceChildren();
    this.plots = new Plots(panels, this.instants, find("plots"), (t) => this.seek(t));
    if (!this.speed || !same) this.speed = this.options.speed || pace(this.end - this.begin);
    Object.assign(find("scrub"), { min: this.begin, max: this.end, step: (this.end - this.begin) / 2000 || 1 });
    const time = same ? this.time : this.begin;
    if (stage) stage.update(this.begin);
    this.menus(same ? find("follow").value : this.options.follow || "");
    this.theme(document.documentElement.dataset.theme);
    this.arrange();
    if (stage && same && before) stage.stand(before);
    else if (stage) stage.look(this.options.look || "start");
    if (stage) stage.arranged = true;
    this.go(time);
    if (stage) before?.close();
  }

  seek(t) {
    this.play(false);
    this.go(t);
  }

  go(t) {
    if (!this.scene) return;
    this.time = Math.min(Math.max(t, this.begin), this.end);
    find("scrub").value = this.time;
    find("time").textContent = clock(this.time, this.end - this.begin);
    if (this.stage) this.stage.update(this.time);
    this.plots.update(this.time);
  }

  play(on) {
    this.playing = on;
    find("play").textContent = on ? "❚❚" : "▶";
    find("play").setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on || !this.scene) return;
    if (this.time >= this.end) this.go(this.begin);
    this.last = performance.now();
    if (!this.ticking) requestAnimationFrame((now) => this.tick(now));
    this.ticking = true;
  }

  tick(now) {
    this.ticking = this.playing;
    if (!this.playing) return;
    const next = this.time + ((now - this.last) / 1000) * this.speed;
    this.last = now;
    this.go(next > this.end ? (this.end > this.begin ? this.begin : this.end) : next);
    requestAnimationFrame((later) => this.tick(later));
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    if (this.stage) this.stage.theme(name);
    if (this.plots) this.plots.redraw();
  }

  show(name, on) {
    if (!LAYERS.includes(name)) throw new RangeError(`no layer is called "${name}"; known: ${LAYERS.join(", ")}`);
    this.shown[name] = on;
    const { stage } = this;
    if (!stage) return;
    stage.show(name, on);
    const box = document.querySelector(`input[data-layer="${name}"]`);
    if (box) box.checked = on;
    find("scale").textContent = stage.scaleText();
    find("arrows").hidden = !stage.hasArrows;
  }

  follow(body) {
    if (!this.stage) return;
    const index = this.scene.bodies.findIndex((one) => one.name === body);
    if (body && index < 0) throw new RangeError(`no body is called "${body}"`);
    this.stage.follow(index);
    find("follow").value = body || "";
  }

  menus(followed) {
    const { stage, scene, speed } = this;
    find("layers").replaceChildren();
    for (const name of LAYERS.filter((one) => stage?.layers[one] || one === "labels")) {
      const box = element("input");
      box.type = "checkbox";
      box.dataset.layer = name;
      box.addEventListener("change", () => this.show(name, box.checked));
      const label = element("label", "");
      label.append(box, document.createTextNode(` ${WORDS[name] || name}`));
      find("layers").append(label);
      this.show(name, this.shown[name] ?? !LOOK.hidden.includes(name));
    }
    find("follow").replaceChildren(find("follow").options[0]);
    for (const body of scene.bodies) {
      const option = element("option", "", body.name);
      option.value = body.name;
      find("follow").append(option);
    }
    if (followed) this.follow(followed);
    const base = [0.1, 0.25, 0.5, 1, 2, 4].map((factor) => factor * speed);
    find("speed").replaceChildren();
    for (const value of [...new Set([...base, 1])].sort((a, b) => a - b)) {
      const option = element("option", "", `× ${short(value)}`);
      option.value = value;
      option.selected = value === speed;
      find("speed").append(option);
    }
  }

  listen() {
    find("play").addEventListener("click", () => this.play(!this.playing));
    find("scrub").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    find("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    find("follow").addEventListener("change", (event) => this.follow(event.target.value));
    find("arrows").addEventListener("input", (event) => {
      this.stage.stretchArrows(10 ** Number(event.target.value));
      find("scale").textContent = this.stage.scaleText();
    });
    find("theme").addEventListener("click", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    for (const button of document.querySelectorAll("[data-look]")) {
      button.addEventListener("click", () => this.stage?.look(button.dataset.look));
    }
    find("canvas").addEventListener("pointerdown", () => this.stage && (this.stage.touched = true));
    document.addEventListener("keydown", (event) => {
      if (!this.scene || event.target.matches("select, textarea, input:not(#scrub), button, summary")) return;
      const step = (this.end - this.begin) / 100;
      if (event.key === " ") this.play(!this.playing);
      else if (event.key === "ArrowRight") this.seek(this.time + step);
      else if (event.key === "ArrowLeft") this.seek(this.time - step);
      else return;
      event.preventDefault();
    });
  }

  arrange() {
    const box = find("stage").getBoundingClientRect();
    if (this.stage && box.width && box.height) this.stage.resize(box.width, box.height);
    if (!this.plots) return;
    this.plots.resize();
    this.plots.update(this.time);
  }

  // What programs and the browser's console find in `window.cardan`.
  handle() {
    const player = this;
    return {
      get time() { return player.time; },
      set time(t) { player.seek(t); },
      get playing() { return player.playing; },
      get span() { return [player.begin, player.end]; },
      get bodies() { return player.scene.bodies.map((one) => one.name); },
      get values() { return player.plots.panels.map((one) => one.name); },
      // Position [m] and unit quaternion w, x, y, z of a body at the time that is shown.
      pose(body) {
        const index = player.scene.bodies.findIndex((one) => one.name === body);
        if (index < 0) throw new RangeError(`no body is called "${body}"; known: ${this.bodies.join(", ")}`);
        const { position, turn } = player.stage.pose(index, player.stage.state);
        return { position: position.toArray(), orientation: [turn.w, turn.x, turn.y, turn.z] };
      },
      // Where a point (x, y, z) of the world stands in the picture, in CSS pixels from its upper left corner.
      pixel: (point) => player.stage.pixel(point),
      // Commands that draw the picture: as many for fifty bodies as for two.
      get draws() { return player.stage.renderer.info.render.calls; },
      value: (name) => player.plots.value(name, player.time),
      // Ends of the vertical axis of a plot.
      range: (name) => player.plots.range(name),
      play: () => player.play(true),
      pause: () => player.play(false),
      look: (name) => player.stage.look(name),
      show: (name, on) => player.show(name, on),
      follow: (body) => player.follow(body),
      theme: (name) => player.theme(name),
      // Only the mechanism, its title and the time: for pictures and films.
      picture(on = true) {
        document.body.classList.toggle("picture", on);
        player.arrange();
        player.stage?.look(player.options.look || "start");
        player.go(player.time);
      },
      // The mechanism at an instant as a file in base64: one picture of a film.
      film(t, type = "image/jpeg") {
        const { flat = (player.flat = new Flat(find("canvas"), ["title", "scale", "time"].map(find))) } = player;
        document.body.classList.add("film"); // whose canvas the browser itself need not draw
        player.seek(t);
        return flat.file(player.stage, getComputedStyle(document.body).backgroundColor, type);
      },
    };
  }
}

// Real time where a run lasts seconds; else as fast as makes it last six.
function pace(span) {
  return span >= 2 && span <= 20 ? 1 : span > 0 ? round125(span / 6) : 1;
}

function clock(t, span) {
  const [factor, unit] = span < 0.2 ? [1e3, "ms"] : [1, "s"];
  const digits = Math.max(0, 3 - Math.ceil(Math.log10(span * factor || 1)));
  return `${(t * factor).toFixed(digits)} ${unit}`;
}
