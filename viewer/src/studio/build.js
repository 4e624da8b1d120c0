// The sheet on which a model is built: its sections, their entries, and the form of each.
import { editor } from "./editors.js";

const { element } = window.cardanViewer;

const ORDER = ["parameters", "ground", "bodies", "joints", "motors", "motions", "forces", "constraints", "inputs", "initial", "outputs"];
const NOUNS = { bodies: "body", joints: "joint", motors: "motor", motions: "motion", forces: "force", constraints: "constraint", parameters: "parameter", inputs: "input", initial: "start value", outputs: "output", graphs: "graph", states: "state", events: "event", let: "name", coordinates: "coordinate" };

const NAMELESS = ["inputs", "initial", "motions"]; // whose entries have the names of what they set

// What a form held before, with the new names of its markers.
function unnamed(before, renames) {
  const value = JSON.parse(before);
  const names = new Map(renames.map(([[, old], name]) => [old, name]));
  if (names.size) value.markers = Object.fromEntries(Object.entries(value.markers).map(([key, one]) => [names.get(key) || key, one]));
  return JSON.stringify(value);
}

const table = (data) => (data !== null && typeof data === "object" && !Array.isArray(data) ? data : {});

export class Build {
  constructor(link) {
    this.link = link;
    this.box = element("div", "build");
    this.box.append(element("p", "hint", "loading …"));
    this.places = Object.assign(element("datalist", ""), { id: "places" });
    this.names = Object.assign(element("datalist", ""), { id: "names" });
    document.body.append(this.places, this.names);
    this.opened = null;
    this.data = {};
    this.folded = {};
    this.drafts = new Map(); // forms in which something has been typed that is not applied, by their place
  }

  show() {
    if (!this.forms) this.link.send({ do: "forms" });
  }

  take(forms) {
    if (this.forms) return;
    const rank = ({ key, node }) => (node.kind === "table" || key === "ground" ? (ORDER.indexOf(key) + 1 || 50) : 90);
    this.forms = [...forms].sort((a, b) => rank(a) - rank(b));
    this.draw();
  }

  update({ data }) {
    const before = JSON.stringify(this.data);
    this.data = data;
    this.lists();
    if (this.forms && before !== JSON.stringify(data)) this.draw();
  }

  lists() {
    const tables = (name) => Object.entries(table(this.data[name]));
    const places = ["ground", ...tables("bodies").flatMap(([name, body]) => [...(name === "ground" ? [] : [name, `${name}.com`]), ...Object.keys(table(body?.markers)).map((one) => `${name}.${one}`)])];
    const names = [...tables("joints"), ...tables("bodies")].map(([name]) => name);
    for (const [list, all] of [[this.places, places], [this.names, names]]) {
      list.replaceChildren(...[...new Set(all)].map((value) => Object.assign(element("option", ""), { value })));
    }
  }

  draw() {
    const active = document.activeElement;
    const focus = active?.dataset?.entry;
    this.box.replaceChildren();
    this.form = null;
    this.texts = new Map();
    const model = this.folding("model", false);
    model.append(element("summary", "", "model"));
    for (const { key, note, node } of this.forms) {
      if (node.kind === "table") this.box.append(this.section(key, note, node.of));
      else if (key === "ground") this.box.append(this.ground(key, note, node));
      else model.append(this.line([key], key, node, this.data[key], note));
    }
    this.box.append(model);
    this.mark();
    if (focus) this.box.querySelector(`[data-entry="${CSS.escape(focus)}"]`)?.focus();
    else if (this.box.contains(active)) active.focus();
  }

  section(key, note, node) {
    const entries = Object.entries(table(this.data[key])).filter(([name]) => !(key === "bodies" && name === "ground"));
    const box = this.folding(key, entries.length > 0 || ["bodies", "joints"].includes(key), this.opened?.[0] === key);
    const head = element("summary", "", key);
    head.title = note;
    const count = element("span", "hint", entries.length ? ` ${entries.length}` : "");
    head.append(count);
    box.append(head);
    if (note && !entries.length) box.append(element("p", "hint", note));
    const isLine = node.kind === "text";
    for (const [name, data] of entries) box.append(isLine ? this.line([key, name], name, node, data) : this.entry([key, name], node, data));
    const adding = this.opened?.[0] === key && this.opened[1] === null;
    if (adding) box.append(this.panel([key, null], node, undefined));
    const add = element("button", "add", `+ ${NOUNS[key] || "entry"}`);
    add.addEventListener("click", () => this.open([key, null]));
    if (!adding) box.append(add);
    return box;
  }

  // A section that stays as the user has folded it.
  folding(key, open, always = false) {
    const box = element("details", "section");
    box.dataset.section = key;
    box.open = always || (this.folded[key] ?? open);
    box.addEventListener("toggle", () => box.isConnected && (this.folded[key] = box.open));
    return box;
  }

  ground(key, note, node) {
    const box = this.folding(key, Boolean(table(this.data.bodies).ground));
    const head = element("summary", "", key);
    head.title = note;
    box.append(head, this.panel(["bodies", "ground"], node, table(this.data.bodies).ground));
    return box;
  }

  // A value in one line, which is set as soon as it has been typed.
  line(path, name, node, data, note = "") {
    const row = element("div", "field");
    const label = path.length > 1 && !NAMELESS.includes(path[0]) ? this.nameField(path, name) : element("span", "key", name);
    label.title = label.title || note;
    const part = editor(node, data);
    const input = part.box.querySelector("input, select");
    input.setAttribute("aria-label", name);
    input.dataset.entry = path.join(".");
    let changed = false;
    const send = () => {
      changed = false;
      part.clear();
      this.link.send({ do: "entry", path, value: part.value() === "" ? null : part.value() });
    };
    row.addEventListener("change", (event) => (changed ||= event.target !== label)); // all components of a vector first
    row.addEventListener("focusout", (event) => changed && !row.contains(event.relatedTarget) && send());
    row.addEventListener("keydown", (event) => event.key === "Enter" && event.target !== label && send());
    if (input.type === "checkbox" || input.matches("select")) input.addEventListener("change", send);
    row.append(label, part.box);
    this.texts.set(path.join("\n"), part);
    return row;
  }

  // The name of an entry as a field: another one goes to everything that refers to it.
  nameField(path, name) {
    const label = Object.assign(element("input", "key name"), { value: name, title: "Write another name here: all that refers to it follows.", spellcheck: false });
    label.setAttribute("aria-label", `name of ${name}`);
    label.addEventListener("change", async () => {
      if (!(await this.rename(path, label.value.trim()))) {
        const line = this.texts.get(path.join("\n"));
        line?.clear();
        line?.refuse([], this.unnamed);
      }
    });
    return label;
  }

  // Gives a part another name; false where it is refused, with the reason in `unnamed`.
  async rename(path, name) {
    this.unnamed = "";
    const { opened } = this;
    const isOpen = path.length === 2 && opened?.join("\n") === path.join("\n");
    if (isOpen) this.opened = [path[0], name]; // the new name comes before its run: the form stays open
    await this.link.send({ do: "rename", path, name });
    if (this.unnamed && isOpen) this.opened = opened;
    return !this.unnamed;
  }

  entry(path, node, data) {
    const isOpen = this.opened?.join("\n") === path.join("\n");
    const box = element("div", isOpen ? "entry open" : "entry");
    const head = element("button", "name", path[1]);
    const kind = node.tag && data ? data[node.tag] : "";
    head.append(element("span", "hint", kind ? ` ${kind}` : ""));
    if (this.draft(path, data)) head.append(element("span", "unapplied", " not applied"));
    head.setAttribute("aria-expanded", isOpen);
    head.addEventListener("click", () => this.open(isOpen ? null : path));
    box.append(head);
    if (isOpen) box.append(this.panel(path, node, data));
    return box;
  }

  // The half-filled form of an entry that is as it was when the typing began.
  draft(path, data) {
    const key = path.join("\n");
    if (this.drafts.has(key) && this.drafts.get(key).state !== JSON.stringify(data)) this.drafts.delete(key);
    return this.drafts.get(key);
  }

  // The form of an entry; the name of a new one is part of it. One that is half filled in stays while its entry does.
  panel(path, node, data) {
    const draft = this.draft(path, data);
    if (draft) return this.shown(draft);
    const key = path.join("\n");
    const state = JSON.stringify(data);
    const box = element("form", "panel-form");
    const isNew = path[1] === null;
    const hasName = isNew || (path[1] !== "ground" && !NAMELESS.includes(path[0]));
    const name = Object.assign(element("input", ""), { value: isNew ? "" : path[1], spellcheck: false });
    if (!isNew) name.title = "Write another name here: all that refers to it follows.";
    if (hasName) {
      const row = element("div", "field");
      name.setAttribute("aria-label", isNew ? "name" : `name of ${path[1]}`);
      row.append(element("span", "key", isNew ? "name •" : "name"), name);
      box.append(row);
    }
    const part = editor(node, data);
    const fault = element("p", "fault");
    part.box.querySelector(":scope > input")?.setAttribute("aria-label", "value");
    box.append(part.box, fault);
    const buttons = element("div", "row");
    const apply = element("button", "", isNew ? "Add" : "Apply");
    apply.type = "submit";
    buttons.append(apply);
    const second = element("button", "", "Delete");
    second.type = "button";
    second.addEventListener("click", () => {
      this.opened = null;
      this.link.send({ do: "entry", path, value: null });
    });
    const discard = element("button", "", isNew ? "Cancel" : "Discard");
    discard.type = "button";
    discard.hidden = !isNew;
    discard.title = "Forget what has been typed here";
    discard.addEventListener("click", () => {
      this.drafts.delete(key);
      if (isNew) this.opened = null;
      this.draw();
    });
    buttons.append(discard);
    if (!isNew && path[1] !== "ground") buttons.append(second);
    box.append(buttons);
    for (const button of part.box.querySelectorAll("button")) button.type = "button";
    new MutationObserver(() => {
      for (const button of part.box.querySelectorAll("button")) button.type = "button";
    }).observe(part.box, { childList: true, subtree: true });
    const content = () => JSON.stringify([name.value, part.value()]);
    const typing = () => {
      const same = content() === first;
      discard.hidden = same && !isNew;
      if (same) this.drafts.delete(key);
      else this.drafts.set(key, { ...form, state });
    };
    name.addEventListener("input", typing);
    for (const kind of ["input", "click"]) part.box.addEventListener(kind, typing);
    box.addEventListener("submit", async (event) => {
      event.preventDefault();
      part.clear();
      fault.textContent = "";
      const at = isNew ? [path[0], name.value.trim()] : [...path];
      if (!at[1]) return (fault.textContent = "give it a name");
      for (const [to, other] of isNew ? [] : [...(hasName && name.value.trim() !== path[1] ? [[[], name.value.trim()]] : []), ...part.renames()].reverse()) {
        const from = [...path, ...to];
        if (!other) return (fault.textContent = "give it a name");
        if (!(await this.rename(from, other))) return (this.form.fault.textContent = this.unnamed);
        this.drafts.delete(key);
        if (!to.length) this.open(path = [path[0], other]);
      }
      if (!isNew && at[1] !== path[1]) at[1] = path[1];
      const value = part.value();
      if (!isNew && unnamed(before, part.renames()) === JSON.stringify(value)) return this.mark();
      this.form = { ...form, path: at };
      this.issues = [];
      await this.link.send({ do: "entry", path: at, value: value === "" || Object.keys(value).length === 0 ? (isNew ? {} : null) : value, new: isNew });
      if (!this.issues.length) this.drafts.delete(key);
      if (isNew && at[1] in table(this.data[at[0]])) {
        this.drafts.delete(key);
        const wrong = (this.issues || []).some(({ path: [a, b] }) => a === at[0] && b === at[1]);
        this.open(wrong ? at : null);
      }
    });
    const before = JSON.stringify(part.value());
    const first = content();
    const form = { path, part, fault, isNew, box };
    setTimeout(() => isNew && name.focus());
    return this.shown(form);
  }

  shown(form) {
    if (form.path[1] !== "ground") this.form = form;
    return form.box;
  }

  open(path) {
    this.opened = path;
    this.draw();
    if (path?.[1]) this.box.querySelector(".entry.open")?.scrollIntoView({ block: "nearest" });
  }

  // Shows faults at their fields, also after they have been drawn anew.
  refuse(issues) {
    this.issues = issues;
    this.mark();
  }

  mark() {
    const issues = this.issues || [];
    for (const part of this.texts?.values() || []) part.clear();
    this.form?.part.clear();
    if (this.form) {
      this.form.refused = false;
      this.form.fault.textContent = "";
    }
    for (const { path, fault, cure } of issues) {
      const text = [fault, cure].filter(Boolean).join("\n");
      const line = this.texts?.get(path.slice(0, 2).join("\n")) || this.texts?.get(String(path[0]));
      const { form } = this;
      if (form && form.path[0] === path[0] && form.path[1] === path[1]) {
        form.refused = true;
        if (form.part.refuse(path.slice(2), text) === false) form.fault.textContent += `${text}\n`;
      } else if (line) line.refuse([], text);
    }
  }
}
