// The page of the studio: sheets to change the model beside the picture of its last run. Texts are only ever set as text.
import { Build } from "./build.js";
import { File } from "./file.js";
import { Link } from "./link.js";
import { Pulling } from "./pulling.js";
import { Saving } from "./saving.js";
import { Topics } from "./topics.js";
import { Values } from "./values.js";

const { Player, element } = window.cardanViewer;
const find = (id) => document.getElementById(id);

const player = new Player();
const link = new Link(take, connected);
const values = new Values(link);
const build = new Build(link);
const file = new File(link);
const sheets = { Values: values.box, Build: build.box, File: file.box };
const topics = new Topics(link, find("topics"), find("details"));
const saving = new Saving(link, find("saving"), () => find("title").textContent);
const pulling = new Pulling(link, player, find("pull"), find("canvas"));
let begun = false;
const counts = { run: 0, refused: 0 };

function take(answer) {
  if (answer.kind === "model") {
    values.update(answer);
    if (!player.scene) document.title = find("title").textContent = typeof answer.data.name === "string" ? answer.data.name : "Cardan studio";
    file.update(answer);
    build.update(answer);
    begin(answer);
    topics.update(answer);
    saving.update(answer);
    chooser(answer);
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
  } else if (answer.kind === "run") {
    counts.run += 1;
    player.load(answer.content);
    file.refuse([]);
    build.refuse([]);
    notice(answer.ok ? [] : [["bad", `The run ended early. ${answer.message}`]], answer.warnings.map((text) => ["doubt", text]));
    find("scale").title = `${answer.message}; computed in ${(1000 * answer.computed).toFixed(0)} ms`;
  } else if (answer.kind === "refused") {
    counts.refused += 1;
    refuse(answer);
  } else if (answer.kind === "pose") {
    pulling.show(answer);
  } else if (answer.kind === "forms") {
    build.take(answer.forms);
  } else if (answer.kind === "topic") {
    topics.take(answer);
  } else if (answer.kind === "file" && link.mine(answer)) {
    saving.take(answer);
  } else if (answer.kind === "saved") {
    const open = build.drafts.size || file.touched;
    notice([["", `Saved ${answer.name}.`]], open ? [["doubt", "It lacks what is typed here and not applied."]] : []);
  } else if (answer.kind === "overtaken" && link.mine(answer)) {
    overtaken(answer);
  }
}

// Plots can be taken away, and others chosen among the results of the run.
function chooser({ results, plots }) {
  const box = find("plots");
  const shown = plots || (player.plots ? [...new Set(player.plots.panels.map(({ name }) => name))] : []);
  const send = (names) => link.send({ do: "settings", plots: names });
  for (const caption of box.querySelectorAll("figcaption")) {
    const name = caption.querySelector(".name").textContent;
    const close = element("button", "close", "×");
    close.setAttribute("aria-label", `Remove the plot ${name}`);
    close.addEventListener("click", () => send(shown.filter((one) => one !== name && !name.startsWith(`${one}.`))));
    caption.querySelector("button")?.remove();
    caption.append(close);
  }
  box.querySelector("select")?.remove();
  const more = element("select", "more");
  more.setAttribute("aria-label", "Add a plot");
  more.append(element("option", "", "Add a plot …"));
  for (const name of results.filter((one) => !shown.includes(one))) more.append(element("option", "", name));
  more.addEventListener("change", () => send([...shown, more.value]));
  box.append(more);
  box.parentElement.classList.remove("bare");
  player.arrange();
}

function refuse(answer) {
  if (answer.of.do === "pull") pulling.refuse();
  if (answer.of.do === "rename") return (build.unnamed = answer.issues.map(({ fault, cure }) => [fault, cure].filter(Boolean).join("\n")).join("\n"));
  if (answer.empty) return notice([["", answer.empty]]);
  if (answer.of.do === "topic") return topics.refuse(answer.issues.map(({ fault, cure }) => `${fault}. ${cure}`).join("\n"));
  if (answer.of.do === "model" || answer.of.do === "text") file.refuse(answer.issues);
  build.refuse(answer.issues);
  if (!values.refuse(answer) || answer.of.do === "settings") {
    const shown = answer.issues.map((one) => ["bad", `${one.key ? `${one.key}: ` : ""}${one.fault}`, one.cure]);
    notice(player.scene ? [...shown, ["", "The picture is that of the last run."]] : shown);
  }
}

// Another program has changed the file: the user decides which of the two texts stays.
function overtaken({ name }) {
  notice([["doubt", `${name} has been changed by another program since it was opened or saved here.`]]);
  const line = find("notice").firstChild;
  const ways = { "Keep that one": null, "Overwrite it": { do: "save", what: "own file", over: true }, "Open it here": { do: "reread" } };
  for (const [text, message] of Object.entries(ways)) {
    const button = element("button", "", text);
    button.addEventListener("click", () => {
      notice([]);
      if (message) link.send(message);
    });
    line.append(" ", button);
  }
}

// Lines above the picture: kind, text and cure.
function notice(...lists) {
  find("notice").replaceChildren(...lists.flat().map(([kind, text, cure]) => {
    const line = element("p", kind, text);
    if (cure) line.append(element("span", "cure", cure));
    return line;
  }));
}

function connected(on) {
  if (!on) notice([["bad", "The studio has ended or cannot be reached.", "Start it again, and open the address that it prints."]]);
}

// An empty model begins with its forms.
function begin({ data }) {
  if (begun) return;
  begun = true;
  if (!data.bodies && !data.graphs) open("Build");
}

function open(name) {
  for (const button of find("sheets").children) button.setAttribute("aria-selected", button.textContent === name);
  find("sheet").replaceChildren(sheets[name]);
  if (name === "Build") build.show();
}

// A click on a body, which does not turn the camera, opens its form.
function clicks(canvas) {
  let from = null;
  canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
  canvas.addEventListener("click", (event) => {
    if (!from || pulling.on || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 3) return;
    const picked = player.stage?.pick(event.offsetX, event.offsetY);
    if (!picked) return;
    open("Build");
    build.open(["bodies", player.scene.bodies[picked.body].name]);
  });
}

for (const name of Object.keys(sheets)) {
  const button = element("button", "", name);
  button.setAttribute("role", "tab");
  button.addEventListener("click", () => open(name));
  find("sheets").append(button);
}
open("Values");
clicks(find("canvas"));
find("undo").addEventListener("click", () => link.send({ do: "undo" }));
find("redo").addEventListener("click", () => link.send({ do: "redo" }));
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("input:not([type=range]), textarea")) return;
  if (event.key === "z" || event.key === "y") {
    event.preventDefault();
    link.send({ do: event.key === "z" && !event.shiftKey ? "undo" : "redo" });
  }
});

window.cardan = Object.defineProperties({}, {
  ...Object.getOwnPropertyDescriptors(player.handle()),
  runs: { get: () => counts.run },
  refusals: { get: () => counts.refused },
});
