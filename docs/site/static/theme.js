// Animations follow the theme that the reader chooses. They get it as a message: without a server the page may not reach into them.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => document.body.dataset.theme;
  const name = () => (["light", "dark"].includes(chosen()) ? chosen() : dark.matches ? "dark" : "light");
  const tell = (frame) => frame.contentWindow.postMessage({ theme: name() }, "*");
  const every = () => document.querySelectorAll("iframe.animation").forEach(tell);
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(every).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
    for (const frame of document.querySelectorAll("iframe.animation")) frame.addEventListener("load", () => tell(frame));
    dark.addEventListener("change", every);
    every();
  });
})();
