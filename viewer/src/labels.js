// Names at the parts of a mechanism, as elements over the picture; they move by transforms alone.
import * as THREE from "three";

const LETTER = 7; // width of a letter on the average [pixels]
export const LINE = 15; // height of a name, as its style says [pixels]
const TRIES = 5; // lines that a name moves down until it is left out

const place = new THREE.Vector3();

export class Labels {
  constructor(box) {
    this.box = box;
    this.all = [];
  }

  // `find` writes where the name belongs into a vector.
  add(text, kind, colour, find) {
    const box = document.createElement("span");
    box.textContent = text;
    box.className = `label ${kind}`;
    box.hidden = true;
    if (colour) box.style.color = colour;
    this.box.append(box);
    this.all.push({ box, find, width: LETTER * text.length + 6, x: NaN, y: NaN, hidden: true });
  }

  // Those that stand in the picture.
  get shown() {
    return this.box.hidden ? [] : this.all.filter(({ hidden }) => !hidden);
  }

  // Puts names at their parts; a name that would cover another one moves down, or stays away.
  update(camera, width, height) {
    const taken = [];
    for (const label of this.all) {
      label.find(place).project(camera);
      const x = Math.round(((place.x + 1) / 2) * width + 8);
      let y = Math.round(((1 - place.y) / 2) * height - 18);
      const outside = place.z > 1 || x < 0 || x > width;
      let tries = 0;
      while (!outside && tries <= TRIES && !free(taken, x, y, label.width)) {
        y += LINE;
        tries++;
      }
      const hidden = outside || tries > TRIES;
      if (hidden !== label.hidden) label.box.hidden = label.hidden = hidden;
      if (hidden) continue;
      taken.push(x, y, label.width);
      if (x === label.x && y === label.y) continue;
      label.box.style.transform = `translate(${x}px, ${y}px)`;
      label.x = x;
      label.y = y;
    }
  }
}

function free(taken, x, y, width) {
  for (let k = 0; k < taken.length; k += 3) {
    if (x < taken[k] + taken[k + 2] && taken[k] < x + width && y < taken[k + 1] + LINE && taken[k + 1] < y + LINE) return false;
  }
  return true;
}
