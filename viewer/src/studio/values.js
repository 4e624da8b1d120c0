// Fields and sliders of parameters, inputs and initial values.
const { element } = window.cardanViewer;

const TITLES = { parameters: "Parameters", inputs: "Inputs", initial: "Start" };
const STEPS = 200; // of a slider

export class Values {
  constructor(link) {
    this.link = link;
    this.box = element("div", "values");
    this.fields = new Map();
    this.run = element("fieldset", "");
    this.until = this.option("until", "End");
    this.motors = this.option("motors", "Motors", ["full", "simplified", "none"]);
    this.overlay = Object.assign(element("input", ""), { type: "checkbox" });
    const label = element("label", "row");
    label.append(this.overlay, element("span", "", "full against simplified motors in the plots"));
    this.overlay.addEventListener("change", () => link.send({ do: "settings", overlay: this.overlay.checked }));
    this.both = label;
    this.run.append(label);
    this.box.append(this.run);
    this.body = element("div", "");
    this.box.append(this.body);
  }

  option(name, title, choices = null) {
    const row = element("div", "value field");
    const input = element(choices ? "select" : "input", "");
    for (const choice of choices || []) input.append(Object.assign(element("option", "", choice), { value: choice }));
    input.setAttribute("aria-label", title);
    const fault = element("p", "fault");
    row.append(element("span", "name", title), input, element("span", "unit"), fault);
    input.addEventListener("change", () => {
      fault.textContent = "";
      this.link.send({ do: "settings", [name]: input.value });
    });
    this.run.append(row);
    return { row, input, fault };
  }

  update(model) {
    if (document.activeElement !== this.until.input) this.until.input.value = model.until;
    this.until.fault.textContent = "";
    this.motors.row.hidden = this.both.hidden = !model.driven;
    this.overlay.checked = model.overlay;
    if (model.motors) this.motors.input.value = model.motors;
    this.box.classList.toggle("stale", !model.controls);
    if (!model.controls) return;
    const known = new Set();
    for (const section of Object.keys(TITLES)) {
      for (const control of model.controls[section]) {
        const key = `${section}\n${control.name}`;
        known.add(key);
        if (!this.fields.has(key)) this.fields.set(key, new Field(this.link, section, control));
        this.fields.get(key).update(control);
      }
    }
    for (const key of this.fields.keys()) if (!known.has(key)) this.fields.delete(key);
    const order = Object.keys(TITLES).flatMap((section) => model.controls[section].map(({ name }) => `${section}\n${name}`));
    if (order.join("\t") === this.order) return;
    this.order = order.join("\t");
    this.body.replaceChildren();
    for (const [section, title] of Object.entries(TITLES)) {
      const own = model.controls[section];
      if (!own.length) continue;
      const set = element("fieldset", "");
      set.append(element("legend", "", title));
      for (const { name } of own) set.append(this.fields.get(`${section}\n${name}`).row);
      this.body.append(set);
    }
  }

  // Shows at its field why a value was refused; whether there is such a field.
  refuse({ of, issues }) {
    const text = issues.map(({ fault, cure }) => [fault, cure].filter(Boolean).join("\n")).join("\n");
    const field = of.do === "set" ? this.fields.get(`${of.section}\n${of.name}`) : of.do === "settings" ? this.until : null;
    if (field) field.fault.textContent = text;
    return Boolean(field);
  }
}

class Field {
  constructor(link, section, control) {
    this.link = link;
    this.section = section;
    this.name = control.name;
    this.row = element("div", "value");
    this.input = element("input", "");
    this.input.spellcheck = false;
    this.input.setAttribute("aria-label", control.name);
    this.input.dataset.value = `${section}.${control.name}`;
    this.unit = element("span", "unit");
    this.slider = Object.assign(element("input", ""), { type: "range", step: "any" });
    this.slider.setAttribute("aria-label", `${control.name}, slider`);
    this.slider.dataset.slider = `${section}.${control.name}`;
    this.fault = element("p", "fault");
    this.row.append(element("span", "name", control.name), this.input, this.unit, this.slider, this.fault);
    this.input.addEventListener("change", () => this.send(this.input.value));
    this.slider.addEventListener("input", () => this.slide());
  }

  update(control) {
    this.control = control;
    this.unit.textContent = control.number !== null ? "" : control.unit;
    if (document.activeElement !== this.input && document.activeElement !== this.slider) {
      this.input.value = control.text;
      this.fault.textContent = "";
    }
    this.input.placeholder = control.text || control.result === null ? "" : `${control.result}`;
    this.input.title = control.result !== null && control.text ? `= ${control.result} in SI units` : "";
    this.slider.hidden = control.number === null;
    if (control.number === null || document.activeElement === this.slider) return;
    const x = control.number;
    if (this.centre === undefined || x < this.slider.min || x > this.slider.max) this.centre = x;
    const c = this.centre;
    const [min, max] = c > 0 ? [c / 100, 2 * c] : c < 0 ? [2 * c, -c / 100] : [-1, 1];
    Object.assign(this.slider, { min, max });
    this.slider.value = x;
  }

  slide() {
    const span = this.slider.max - this.slider.min;
    const x = Number(this.slider.value);
    const digits = Math.max(0, Math.ceil(-Math.log10(span / STEPS)));
    const number = Math.abs(x) < 1e-4 && x ? x.toPrecision(3) : String(Number(x.toFixed(Math.min(digits, 12))));
    const text = `${number} ${this.control.suffix}`.trim();
    this.input.value = this.control.guess ? `{guess: ${text}}` : text;
    this.send(this.input.value);
  }

  // One message at a time: while the server is at work, only the last value waits.
  async send(text) {
    this.next = text;
    if (this.busy) return;
    this.busy = true;
    while (this.next !== undefined) {
      const value = this.next;
      this.next = undefined;
      this.fault.textContent = "";
      await this.link.send({ do: "set", section: this.section, name: this.name, text: value });
    }
    this.busy = false;
  }
}
