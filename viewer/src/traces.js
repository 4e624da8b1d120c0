// Paths of points: what lies behind a point is drawn strong, what lies ahead of it faint.
import * as THREE from "three";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export class Traces {
  // `paths` are arrays with three numbers per instant, all of the same number of instants.
  constructor(paths, colours) {
    this.width = paths.length;
    this.steps = paths[0].length / 3 - 1;
    // The steps of all paths from one instant to the next stand together, so that one number says how many are drawn.
    this.behind = this.lines(paths, colours, (step) => step, { linewidth: 2.2 });
    this.ahead = this.lines(paths, colours, (step, steps) => steps - 1 - step, { linewidth: 1.2, opacity: 0.3 });
  }

  lines(paths, colours, order, style) {
    const steps = Math.max(1, this.steps); // a run of one instant has paths of no length
    const points = new Float32Array(6 * steps * this.width);
    const tints = new Float32Array(points.length);
    const tint = new THREE.Color();
    paths.forEach((path, j) => {
      tint.set(colours[j]);
      for (let step = 0; step < steps; step++) {
        const to = 6 * (order(step, steps) * this.width + j);
        for (let i = 0; i < 6; i++) points[to + i] = path[Math.min(3 * step + i, path.length - 3 + (i % 3))];
        tint.toArray(tints, to);
        tint.toArray(tints, to + 3);
      }
    });
    const geometry = new LineSegmentsGeometry().setPositions(points).setColors(tints);
    const out = new LineSegments2(geometry, new LineMaterial({ vertexColors: true, transparent: true, ...style }));
    out.frustumCulled = false;
    return out;
  }

  update([step]) {
    this.behind.geometry.instanceCount = step * this.width;
    this.ahead.geometry.instanceCount = (this.steps - step) * this.width;
  }

  resize(width, height) {
    for (const line of [this.behind, this.ahead]) line.material.resolution.set(width, height);
  }
}
