// Arrows of forces (straight) and moments (around their axis), whose length follows the load.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";
import { floats, mixed } from "./data.js";

const SIZES = LOOK.arrow;
const Z = new THREE.Vector3(0, 0, 1);
const ACROSS = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), Math.PI / 2);

const value = new THREE.Vector3();
const tip = new THREE.Vector3();
const turn = new THREE.Quaternion();
const numbers = [0, 0, 0];

export class Arrow {
  // `shapes` are those that all arrows of a scene share.
  constructor(record, values, size, solids, shapes) {
    this.record = record;
    this.values = values;
    this.path = record.path && floats(record.path);
    this.thick = SIZES.thick * size;
    this.shaft = solids.frames.take();
    this.head = solids.frames.take();
    solids.add(record.layer, "solid", record.what === "force" ? shapes.shaft : shapes.arc, this.shaft, { colour: LOOK.arrows[record.layer] });
    solids.add(record.layer, "solid", shapes.head, this.head, { colour: LOOK.arrows[record.layer] });
  }

  // The point of a load that moves on its bodies, such as that of a contact; null of others.
  moved(moment, point) {
    return this.path ? point.fromArray(mixed(this.path, 3, moment, 0, numbers)) : null;
  }

  // Places the arrow at a point; `scale` is its length per newton or newton metre.
  update(frames, moment, point, scale) {
    const { thick, values } = this;
    value.fromArray(mixed(values, 3, values.length > 3 ? moment : START, 0, numbers));
    const size = value.length();
    const length = size * scale;
    if (!(Number.isFinite(length) && length > thick)) {
      frames.hide(this.shaft);
      frames.hide(this.head);
      return;
    }
    turn.setFromUnitVectors(Z, value.divideScalar(size));
    const head = Math.min(1, length / (2 * SIZES.head_length * thick));
    if (this.record.what === "force") {
      frames.put(this.shaft, point, turn, 1, 1, Math.max(length - SIZES.head_length * thick * head, 1e-9));
      frames.put(this.head, value.multiplyScalar(length).add(point), turn, head);
    } else {
      const radius = SIZES.arc * length;
      frames.put(this.shaft, point, turn, radius);
      tip.set(SIZES.head_length * thick * head, -radius, 0).applyQuaternion(turn).add(point);
      frames.put(this.head, tip, turn.multiply(ACROSS), head);
    }
  }
}

const START = [0, 0];

// The solids of arrows in a scene of a size.
export function shapes(size) {
  const thick = SIZES.thick * size;
  return {
    shaft: new THREE.CylinderGeometry(thick, thick, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5),
    arc: new THREE.TorusGeometry(1, SIZES.arc_thick, 8, 40, 1.5 * Math.PI),
    head: new THREE.ConeGeometry(SIZES.head_radius * thick, SIZES.head_length * thick, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5 * SIZES.head_length * thick),
  };
}
