// Fields for a node of a form: each has its element, its value as typed (empty where nothing is), and shows its faults.
const { element } = window.cardanViewer;

// Data of a file as a user would type them in one line.
export function typed(data, inside = false) {
  if (data === null || data === undefined) return "";
  if (Array.isArray(data)) return `[${data.map((one) => typed(one, true)).join(", ")}]`;
  if (typeof data === "object") return `{${Object.entries(data).map(([key, one]) => `${key}: ${typed(one, true)}`).join(", ")}}`;
  const text = String(data);
  return inside && typeof data === "string" && /[,:#[\]{}"']|^[-?&*!|>%@` ]|^$/.test(text) && !/^-?[\w.*/+ ^()-]+$/.test(text) ? JSON.stringify(text) : text;
}

export function editor(node, data) {
  return EDITORS[node.kind](node, data);
}

const isTable = (data) => data !== null && typeof data === "object" && !Array.isArray(data);
const quoted = (text) => (text ? JSON.stringify(text) : "");

function single(input, value) {
  const box = element("div", "single");
  const fault = element("p", "fault");
  box.append(input, fault);
  return {
    box,
    value,
    renames: () => [],
    focus: () => input.focus(),
    refuse(path, text) {
      fault.textContent = [fault.textContent, text].filter(Boolean).join("\n");
      box.classList.add("wrong");
    },
    clear() {
      fault.textContent = "";
      box.classList.remove("wrong");
    },
  };
}

function text(node, data) {
  const input = element("input", "");
  input.spellcheck = false;
  input.value = typed(data);
  input.placeholder = node.hint || "";
  if (node.word) input.title = node.hint ? `${node.word}, such as ${node.hint}` : node.word;
  return single(input, () => input.value.trim());
}

// One field for each component; what is left open between others, or before them, is 0.
function vector(node, data) {
  if (data !== undefined && !Array.isArray(data)) return text({}, data);
  const row = element("div", "vector");
  const inputs = node.hints.map((hint, k) => {
    const input = element("input", "");
    input.spellcheck = false;
    input.value = typed(data?.[k]);
    input.placeholder = data === undefined ? hint : "0";
    input.title = hint;
    input.dataset.component = k;
    const label = element("label", "component", node.labels?.[k]);
    label.append(input);
    row.append(label);
    return input;
  });
  return single(row, () => {
    const texts = inputs.map((input) => input.value.trim());
    const last = texts.findLastIndex((one) => one);
    if (last < 0) return "";
    const count = last < 3 && node.hints.length >= 3 ? 3 : last + 1;
    return texts.slice(0, count).map((one) => one || "0");
  });
}

function words(node, data) {
  const input = element("input", "");
  input.value = data === undefined ? "" : typed(data);
  input.setAttribute("list", "names");
  const plain = data === undefined || typeof data === "string";
  return single(input, () => (plain && !/^[[{]/.test(input.value.trim()) ? quoted(input.value.trim()) : input.value.trim()));
}

function place(node, data) {
  const input = element("input", "");
  input.value = typed(data);
  input.setAttribute("list", "places");
  input.placeholder = "body.marker";
  return single(input, () => (input.value.trim().startsWith("{") ? input.value.trim() : quoted(input.value.trim())));
}

// What the file has instead of one of the choices is kept as a text.
function choice(node, data) {
  if (data !== undefined && !node.choices.includes(String(data))) return text({}, data);
  const input = element("select", "");
  for (const one of ["", ...node.choices]) input.append(Object.assign(element("option", "", one || "–"), { value: one }));
  input.value = data === undefined ? "" : String(data);
  return single(input, () => quoted(input.value));
}

function flag(node, data) {
  const input = Object.assign(element("input", ""), { type: "checkbox", checked: data === true });
  return single(input, () => (input.checked ? true : ""));
}

const empty = (value) => value === "" || (Array.isArray(value) && !value.length) || (isTable(value) && !Object.keys(value).length);

// The fields of a record: what is needed or given, and the others on demand.
function fields(list, data) {
  const box = element("div", "fields");
  const more = element("details", "more-fields");
  more.append(element("summary", "", "More"));
  const parts = new Map();
  const later = [];
  for (const { key, note, required, node } of [...list].sort((a, b) => b.required - a.required)) {
    const part = editor({ entry: SINGULAR[key], ...node }, data?.[key]);
    parts.set(key, part);
    const row = element("div", ["record", "variants", "list", "table"].includes(node.kind) || node.hints?.length > 4 ? "field wide" : "field");
    const name = element("label", "key", required ? `${key} •` : key);
    name.title = note;
    row.append(name, part.box);
    row.dataset.key = key;
    const input = part.box.querySelector(":scope > input, :scope > select");
    if (input) input.setAttribute("aria-label", key);
    const shown = required || data?.[key] !== undefined || FIRST.includes(key);
    (shown ? box : more).append(row);
    if (!shown) later.push(key);
  }
  more.firstChild.textContent = `More: ${later.join(", ")}`;
  if (more.children.length > 1) box.append(more);
  return {
    box,
    value() {
      const entries = [...parts].map(([key, part]) => [key, part.value()]).filter(([, value]) => !empty(value));
      return Object.fromEntries(entries);
    },
    renames: () => (parts.has("markers") ? parts.get("markers").renames().map(([path, name]) => [["markers", ...path], name]) : []),
    refuse([key, ...rest], words_) {
      const part = parts.get(key);
      if (!part) return false;
      if (more.contains(part.box)) more.open = true;
      return part.refuse(rest, words_) !== false;
    },
    clear() {
      for (const part of parts.values()) part.clear();
    },
  };
}

const SINGULAR = { markers: "marker", elements: "element", terms: "term" };
const FIRST = ["type", "effort", "coefficient", "lower", "upper", "restitution", "mass", "com", "inertia", "markers", "density", "shapes", "position", "axis", "value", "points", "stiffness", "damping", "inductance", "ratio"];

function own(box) {
  const fault = element("p", "fault");
  box.append(fault);
  return {
    refuse: (text_) => (fault.textContent = [fault.textContent, text_].filter(Boolean).join("\n")),
    clear: () => (fault.textContent = ""),
  };
}

function record(node, data) {
  if (data !== undefined && !isTable(data)) return text({}, data);
  const inner = fields(node.fields, data);
  const fault = own(inner.box);
  return {
    ...inner,
    refuse: (path, words_) => inner.refuse(path, words_) || fault.refuse(words_),
    clear() {
      inner.clear();
      fault.clear();
    },
  };
}

// A short form, such as "1 hydraulic" for a junction, is kept as a text.
function variants(node, given) {
  if (node.tag && given !== undefined && given !== null && !isTable(given)) return text({}, given);
  const data = given === undefined || isTable(given) ? given : node.tag ? undefined : { value: given };
  const box = element("div", "variants");
  const pick = element("select", "");
  pick.setAttribute("aria-label", node.tag || node.noun);
  for (const kind of Object.keys(node.kinds)) pick.append(element("option", "", kind));
  const known = node.tag ? data?.[node.tag] : Object.keys(node.kinds).find((kind) => data && kind in data);
  if (known in node.kinds) pick.value = known;
  const place_ = element("div", "");
  box.append(pick, place_);
  const fault = own(box);
  let inner = null;
  const build = (from) => {
    inner = fields(node.kinds[pick.value], from);
    place_.replaceChildren(inner.box);
  };
  build(data);
  pick.addEventListener("change", () => build(kept(inner.value(), data)));
  return {
    box,
    value: () => (node.tag ? { [node.tag]: pick.value, ...inner.value() } : inner.value()),
    renames: () => [],
    refuse: (path, words_) => inner.refuse(path, words_) || fault.refuse(words_),
    clear() {
      inner.clear();
      fault.clear();
    },
  };
}

// What another kind takes over: values that stay as they were given, and texts that were typed.
function kept(value, data) {
  const out = { ...data };
  for (const [key, one] of Object.entries(value)) if (typeof one === "string") out[key] = one.startsWith('"') ? JSON.parse(one) : one;
  return out;
}

function list(node, data) {
  const box = element("div", "list");
  const parts = [];
  const rows = element("div", "");
  const add = (entry) => {
    const part = editor(node.of, entry);
    const row = element("div", "item");
    const remove = element("button", "close", "×");
    remove.setAttribute("aria-label", "Remove");
    remove.addEventListener("click", () => {
      parts.splice(parts.indexOf(part), 1);
      row.remove();
    });
    row.append(part.box, remove);
    rows.append(row);
    parts.push(part);
  };
  for (const entry of Array.isArray(data) ? data : []) add(entry);
  const more = element("button", "", `+ ${node.of.noun || "entry"}`);
  more.addEventListener("click", () => add(undefined));
  box.append(rows, more);
  const fault = own(box);
  return {
    box,
    value: () => parts.map((part) => part.value()).filter((value) => !empty(value)),
    renames: () => [],
    refuse: ([k, ...rest], words_) => (parts[k] ? parts[k].refuse(rest, words_) : fault.refuse(words_)),
    clear() {
      fault.clear();
      for (const part of parts) part.clear();
    },
  };
}

function table(node, data) {
  const box = element("div", "list");
  const parts = [];
  const rows = element("div", "");
  const add = (name, entry) => {
    const part = editor(node.of, entry);
    const row = element("div", "item");
    const key = element("input", "");
    key.value = name;
    key.placeholder = "name";
    key.setAttribute("aria-label", "name");
    const remove = element("button", "close", "×");
    remove.setAttribute("aria-label", "Remove");
    const one = { key, part, before: name };
    remove.addEventListener("click", () => {
      parts.splice(parts.indexOf(one), 1);
      row.remove();
    });
    const inner = element("div", "named");
    inner.append(key, part.box);
    row.append(inner, remove);
    rows.append(row);
    parts.push(one);
  };
  for (const [name, entry] of Object.entries(isTable(data) ? data : {})) add(name, entry);
  const more = element("button", "", `+ ${node.entry || "entry"}`);
  more.addEventListener("click", () => add("", undefined));
  box.append(rows, more);
  const fault = own(box);
  return {
    box,
    renames: () => parts.filter(({ key, before }) => before && key.value.trim() && key.value.trim() !== before).map(({ key, before }) => [[before], key.value.trim()]),
    value: () => Object.fromEntries(parts.filter(({ key }) => key.value.trim()).map(({ key, part }) => [key.value.trim(), part.value()])),
    refuse([name, ...rest], words_) {
      const one = parts.find(({ key }) => key.value.trim() === name);
      return one ? one.part.refuse(rest, words_) : fault.refuse(words_);
    },
    clear() {
      fault.clear();
      for (const { part } of parts) part.clear();
    },
  };
}

const EDITORS = { text, vector, words, place, choice, flag, record, variants, list, table };
