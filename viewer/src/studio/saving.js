// Files to take home.
const { element } = window.cardanViewer;

const FILES = { model: "Model (YAML)", run: "Run (NetCDF)", values: "Run (CSV)", animation: "Animation (HTML)", report: "Report (HTML)" };

export class Saving {
  constructor(link, box, name) {
    this.box = box;
    this.own = this.entry("", () => link.send({ do: "save", what: "own file" }));
    for (const [what, text] of Object.entries(FILES)) this.entry(text, () => link.send({ do: "save", what }));
    this.entry("Picture (PNG)", () => document.getElementById("canvas").toBlob((blob) => download(`${name()}.png`, blob)));
  }

  entry(text, act) {
    const button = element("button", "", text);
    button.addEventListener("click", () => {
      this.box.parentElement.open = false;
      act();
    });
    this.box.append(button);
    return button;
  }

  update({ file }) {
    this.own.hidden = !file;
    this.own.textContent = `Save ${file}`;
  }

  take({ name, data }) {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
    download(name, new Blob([bytes]));
  }
}

function download(name, blob) {
  const link = element("a", "");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
