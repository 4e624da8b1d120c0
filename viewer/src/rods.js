// A rod that bends: rings across it, each the mean of one on a part and one on the next, and the skin through them.
import * as THREE from "three";
import { floats } from "./data.js";

const [one, next] = [new THREE.Matrix4(), new THREE.Matrix4()];

export class Rod {
  constructor(record, solids) {
    this.rings = record.rings.map(([a, b, u, xa, xb]) => ({ a, b, u, xa, xb, frame: solids.frames.take() }));
    const bodies = this.rings.map(({ a, b, u }) => (u < 0.5 ? a : b));
    const { frame } = this.rings[0];
    const { solid, edges } = skin(floats(record.outline), record.round, this.rings.length);
    const about = { colour: record.colour, body: bodies[0], bodies };
    solids.add("shapes", "solid", solid, frame, about);
    solids.add("shapes", "edges", edges, frame, about);
  }

  // Moves the rings with the parts, whose frames `frame` numbers.
  update(frames, frame) {
    for (const { a, b, u, xa, xb, frame: own } of this.rings) {
      shifted(frames.read(frame(a), one), xa);
      shifted(frames.read(frame(b), next), xb);
      for (let k = 0; k < 16; k++) frames.values[16 * own + k] = (1 - u) * one.elements[k] + u * next.elements[k];
    }
  }

  // The frame in the middle of the rod.
  get middle() {
    return this.rings[this.rings.length >> 1].frame;
  }
}

// Moves a frame along its x.
function shifted({ elements: m }, x) {
  for (let k = 0; k < 3; k++) m[12 + k] += x * m[k];
}

// The skin through `count` equal rings with the corners of an outline, counter-clockwise seen from x; and its edges.
function skin(outline, round, count) {
  const n = outline.length / 2;
  const corner = (i) => [outline[2 * (i % n)], outline[2 * (i % n) + 1]];
  const [at, out, of, index] = [[], [], [], []];
  const vertex = (i, ring, normal) => {
    at.push(0, ...corner(i));
    out.push(...normal);
    of.push(ring);
    return of.length - 1;
  };
  const across = (i, j) => {
    const [[ya, za], [yb, zb]] = [corner(i), corner(j)];
    const length = Math.hypot(yb - ya, zb - za);
    return [0, (zb - za) / length, (ya - yb) / length];
  };
  for (let i = 0; i < n; i++) {
    const [first, second] = round ? [across(i + n - 1, i + 1), across(i, i + 2)] : [across(i, i + 1), across(i, i + 1)];
    for (let ring = 0; ring < count; ring++) {
      const [p, q] = [vertex(i, ring, first), vertex(i + 1, ring, second)];
      if (ring > 0) index.push(p - 2, q - 2, p, q - 2, q, p);
    }
  }
  for (const [ring, side] of [[0, -1], [count - 1, 1]]) {
    const cap = Array.from({ length: n }, (_, i) => vertex(i, ring, [side, 0, 0]));
    for (let i = 1; i + 1 < n; i++) index.push(cap[0], cap[side > 0 ? i : i + 1], cap[side > 0 ? i + 1 : i]);
  }
  const lines = [];
  for (let i = 0; i < n; i++) {
    for (const ring of [0, count - 1]) lines.push([i, ring, i + 1, ring]);
    for (let ring = 1; ring < count && !round; ring++) lines.push([i, ring - 1, i, ring]);
  }
  const ends = lines.flatMap(([i, a, j, b]) => [[i, a], [j, b]]);
  const edges = geometry(ends.flatMap(([i]) => [0, ...corner(i)]), ends.map(([, ring]) => ring));
  const solid = geometry(at, of);
  solid.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(out), 3));
  solid.setIndex(index);
  return { solid, edges };
}

// Corners with the ring to which each belongs.
function geometry(at, of) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(at), 3));
  geometry.setAttribute("ring", new THREE.BufferAttribute(new Float32Array(of), 1));
  return geometry;
}
