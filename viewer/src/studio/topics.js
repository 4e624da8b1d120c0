// Pages to read below the picture; each stands in a frame in which no program runs.
const { element } = window.cardanViewer;

const TOPICS = ["Results", "Loads", "Mobility", "Equations", "Bond graph"];
const OF_VALUES = ["Results", "Loads", "Mobility"]; // the others depend on the structure alone

export class Topics {
  constructor(link, row, box) {
    Object.assign(this, { link, box, shown: "" });
    for (const name of TOPICS) {
      const button = element("button", "", name);
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => this.open(this.shown === name ? "" : name));
      row.append(button);
    }
    this.row = row;
    new MutationObserver(() => this.ask()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  open(name) {
    this.shown = name;
    this.box.hidden = !name;
    this.box.replaceChildren(element("p", "hint", "computing …"));
    for (const button of this.row.children) button.setAttribute("aria-selected", button.textContent === name);
    this.ask();
  }

  // Asks again where a change of the model has changed the topic.
  update({ structure }) {
    if (structure !== this.structure || OF_VALUES.includes(this.shown)) this.ask();
    this.structure = structure;
  }

  async ask() {
    this.again = true;
    if (this.busy || !this.shown) return;
    this.busy = true;
    while (this.again) {
      this.again = false;
      await this.link.send({ do: "topic", topic: this.shown, dark: document.documentElement.dataset.theme === "dark" });
    }
    this.busy = false;
  }

  take({ topic, html }) {
    if (topic !== this.shown) return;
    const frame = element("iframe", "");
    frame.setAttribute("sandbox", "");
    frame.title = topic;
    frame.srcdoc = html;
    this.box.replaceChildren(frame);
  }

  refuse(text) {
    this.box.replaceChildren(element("p", "hint", text));
  }
}
