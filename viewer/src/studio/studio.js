// The page of the studio: sheets to change the model beside the picture of its last run. Texts are only ever set as text.
import { File } from "./file.js";
import { Link } from "./link.js";
import { Values } from "./values.js";

const { Player, element } = window.cardanViewer;
const find = (id) => document.getElementById(id);

const player = new Player();
const link = new Link(take, connected);
const values = new Values(link);
const file = new File(link);
const sheets = { Values: values.box, File: file.box };
const counts = { run: 0, refused: 0 };

function take(answer) {
  if (answer.kind === "model") {
    values.update(answer);
    file.update(answer, true);
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
  } else if (answer.kind === "run") {
    counts.run += 1;
    player.load(answer.content);
    file.refuse([]);
    notice(answer.ok ? [] : [["bad", `The run ended early. ${answer.message}`]], answer.warnings.map((text) => ["doubt", text]));
    find("scale").title = `${answer.message}; computed in ${(1000 * answer.computed).toFixed(0)} ms`;
  } else if (answer.kind === "refused") {
    counts.refused += 1;
    refuse(answer);
  }
}

function refuse(answer) {
  if (answer.empty) return notice([["", answer.empty]]);
  if (answer.of.do === "model" || answer.of.do === "text") file.refuse(answer.issues);
  if (!values.refuse(answer) || answer.of.do === "settings") {
    const shown = answer.issues.map((one) => ["bad", `${one.key ? `${one.key}: ` : ""}${one.fault}`, one.cure]);
    notice(player.scene ? [...shown, ["", "The picture is that of the last run."]] : shown);
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

function open(name) {
  for (const button of find("sheets").children) button.setAttribute("aria-selected", button.textContent === name);
  find("sheet").replaceChildren(sheets[name]);
}

for (const name of Object.keys(sheets)) {
  const button = element("button", "", name);
  button.setAttribute("role", "tab");
  button.addEventListener("click", () => open(name));
  find("sheets").append(button);
}
open("Values");
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
