// The model file as text.
const { element } = window.cardanViewer;

export class File {
  constructor(link) {
    this.box = element("div", "file");
    this.text = element("textarea", "");
    this.text.spellcheck = false;
    this.text.setAttribute("aria-label", "Model file");
    this.faults = element("p", "fault");
    this.apply = element("button", "", "Apply");
    const row = element("div", "row");
    this.revert = element("button", "", "Revert");
    this.hint = element("span", "hint", "Ctrl Enter");
    row.append(this.apply, this.revert, this.hint);
    this.box.append(this.text, this.faults, row);
    const send = () => {
      this.touched = false;
      link.send({ do: "text", text: this.text.value });
    };
    this.apply.addEventListener("click", send);
    this.revert.addEventListener("click", () => this.show(this.model));
    this.text.addEventListener("input", () => this.touch());
    this.show("");
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    });
  }

  // A text that is being written here stays until it is applied or reverted.
  update(model) {
    const text = model.text.replaceAll("\r\n", "\n"); // as a field of a page has it
    if (this.touched && this.model !== text) this.hint.textContent = "The model has changed meanwhile: Apply replaces it, Revert shows it.";
    this.model = text;
    if (!this.touched) this.show(text);
  }

  show(text) {
    this.model = text;
    if (this.text.value !== text) this.text.value = text;
    this.touch();
  }

  touch() {
    this.touched = this.text.value !== this.model;
    this.revert.hidden = !this.touched;
    if (!this.touched) this.hint.textContent = "Ctrl Enter";
  }

  refuse(issues) {
    this.faults.textContent = issues.map(({ line, key, fault, cure }) => `${line ? `line ${line}: ` : ""}${key ? `${key}: ` : ""}${fault}${cure ? `\n    ${cure}` : ""}`).join("\n");
  }
}
