// The page of an animation: plays the content that stands in it. The studio's program, which comes after this one, brings its own.
import { short } from "./data.js";
import { element } from "./plots.js";
import { Player } from "./player.js";

const place = document.getElementById("content");
if (place) {
  const content = JSON.parse(place.textContent);
  const player = new Player(content.options);
  player.load(content);
  window.cardan = player.handle();
  if (content.options.play && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
} else {
  window.cardanViewer = { Player, element, short };
}
