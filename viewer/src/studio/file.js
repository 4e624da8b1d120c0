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
    row.append(this.apply, element("span", "hint", "Ctrl Enter"));
    this.box.append(this.text, this.faults, row);
    const send = () => link.send({ do: "text", text: this.text.value });
    this.apply.addEventListener("click", send);
    this.text.addEventListener("input", () => (this.touched = true));
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
    });
  }

  // A text that is being written here stays until it has been applied.
  update({ text }, mine) {
    if (this.touched && !mine && document.activeElement === this.text) return;
    this.touched = false;
    if (this.text.value !== text) this.text.value = text;
  }

  refuse(issues) {
    this.faults.textContent = issues.map(({ line, key, fault, cure }) => `${line ? `line ${line}: ` : ""}${key ? `${key}: ` : ""}${fault}${cure ? `\n    ${cure}` : ""}`).join("\n");
  }
}
