// Springs, dampers and rods between two points, which follow their distance.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";
import { coil, upright } from "./forms.js";

const SIZES = LOOK.link;
const Z = new THREE.Vector3(0, 0, 1);
const way = new THREE.Vector3();
const turn = new THREE.Quaternion();

export class Link {
  constructor(record, solids) {
    const { radius, length, kind } = record;
    this.record = record;
    this.rest = Math.max(length, 1e-9);
    this.half = 0.5 * length; // of a damper's tube, out of which the stem comes
    const part = (solid, colour) => {
      const frame = solids.frames.take();
      solids.add("links", "solid", solid, frame, { colour });
      return frame;
    };
    if (kind === "rod" || kind === "line") this.rod = part(upright(radius, radius, 1, 0.5), "rod");
    if (kind.startsWith("spring")) {
      const turns = Math.max(SIZES.turns[0], Math.min(SIZES.turns[1], Math.round(length / (SIZES.turn * radius))));
      this.coil = part(coil(radius, length, turns, SIZES.wire * radius), "spring");
    }
    if (kind.endsWith("damper")) {
      this.tube = part(upright(SIZES.tube * radius, SIZES.tube * radius, this.half, this.half / 2), "joint");
      this.stem = part(upright(SIZES.stem * radius, SIZES.stem * radius, 1, 0.5), "pin");
    }
  }

  // Stretches from a to b, and changes b.
  update(frames, a, b) {
    const length = Math.max(b.sub(a).length(), 1e-9);
    turn.setFromUnitVectors(Z, way.copy(b).divideScalar(length));
    if (this.rod !== undefined) frames.put(this.rod, a, turn, 1, 1, length);
    if (this.coil !== undefined) frames.put(this.coil, a, turn, 1, 1, length / this.rest);
    if (this.tube === undefined) return;
    const inside = Math.min(this.half, length);
    frames.put(this.tube, a, turn, 1, 1, Math.min(1, length / Math.max(this.half, 1e-9)));
    frames.put(this.stem, b.copy(way).multiplyScalar(inside).add(a), turn, 1, 1, Math.max(length - inside, 1e-9));
  }
}
