// The picture of a film: the canvas and the texts over it, drawn into one image without the browser's own drawing of the page,
// which takes as long again where no graphics card helps.

import { LINE } from "./labels.js";

const FONT = ["font-style", "font-weight", "font-size", "font-family"];
const HALO = 3; // width of the seam that keeps a name readable on the mechanism [pixels]

export class Flat {
  constructor(canvas, texts) {
    this.canvas = canvas;
    this.texts = texts; // elements whose texts stay where they are
    this.range = document.createRange();
    this.image = document.createElement("canvas");
    this.brush = this.image.getContext("2d", { alpha: false, willReadFrequently: true });
  }

  // What a stage shows as a file in base64, of the type "image/jpeg" or "image/png"; `ground` is the colour around its names.
  file({ labels, width }, ground, type) {
    const { canvas, image, brush } = this;
    if (image.width !== canvas.width || image.height !== canvas.height) {
      Object.assign(image, { width: canvas.width, height: canvas.height });
    }
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.drawImage(canvas, 0, 0);
    const scale = canvas.width / width;
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.lineJoin = "round";
    brush.lineWidth = HALO;
    brush.strokeStyle = ground;
    for (const { box, x, y } of labels.shown) this.write(box, x, y + LINE / 2, true);
    for (const box of this.texts) {
      this.range.selectNodeContents(box);
      const { left, top, bottom } = this.range.getBoundingClientRect();
      this.write(box, left, (top + bottom) / 2, false);
    }
    return image.toDataURL(type, 0.92).split(",")[1];
  }

  // The text of an element, from a point in the middle of its line.
  write(box, x, middle, seam) {
    const style = getComputedStyle(box);
    const { brush } = this;
    brush.font = FONT.map((name) => style.getPropertyValue(name)).join(" ");
    brush.fillStyle = style.color;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = brush.measureText(box.textContent);
    const y = Math.floor(middle + (above - below) / 2);
    if (seam) brush.strokeText(box.textContent, x, y);
    brush.fillText(box.textContent, x, y);
  }
}
