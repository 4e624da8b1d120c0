// Animations follow the theme that the reader chooses; files without a server may not be reached from the page, and keep the system's.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => document.body.dataset.theme;
  const name = () => (["light", "dark"].includes(chosen()) ? chosen() : dark.matches ? "dark" : "light");
  const tell = (frame) => {
    try {
      frame.contentWindow.cardan?.theme(name());
    } catch {
      // another origin
    }
  };
  const every = () => document.querySelectorAll("iframe.animation").forEach(tell);
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(every).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
    for (const frame of document.querySelectorAll("iframe.animation")) frame.addEventListener("load", () => tell(frame));
    dark.addEventListener("change", every);
    every();
  });
})();
