// All solids of a layer that look alike are drawn at once, however many there are: the time that a picture takes hardly
// depends on their number. Every vertex knows the frame that it is fixed to.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";
import { reads } from "./frames.js";

const STYLES = {
  solid: () => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, vertexColors: true }),
  open: () => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, vertexColors: true, side: THREE.DoubleSide }),
  // A symbol that a body covers shines through it.
  ghost: () => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, vertexColors: true, transparent: true, opacity: LOOK.opacity.ghost, depthTest: false, depthWrite: false }),
  flat: () => new THREE.MeshBasicMaterial({ vertexColors: true }),
  edges: () => new THREE.LineBasicMaterial({ color: "#000000", transparent: true, opacity: LOOK.opacity.edge }),
};

export class Solids {
  constructor(frames) {
    this.frames = frames;
    this.groups = new Map();
  }

  // `solid` is fixed to a frame by a rigid matrix; `body` is what a click on it means, −1 for nothing. One with an
  // attribute `ring` bends: each vertex is fixed to the frame that many after `frame`, and means that of `bodies`.
  add(layer, style, solid, frame, { local = null, colour = "", body = -1, bodies = null } = {}) {
    const key = `${layer}\n${style}`;
    if (!this.groups.has(key)) this.groups.set(key, { layer, style, pieces: [] });
    this.groups.get(key).pieces.push({ solid, frame, local, colour, body, bodies });
  }

  // The meshes, with the layer of each.
  meshes() {
    return [...this.groups.values()].map((group) => {
      const material = reads(STYLES[group.style](), this.frames);
      const mesh = new (group.style === "edges" ? THREE.LineSegments : THREE.Mesh)(merged(group), material);
      mesh.frustumCulled = false; // its geometry is not where it is drawn
      if (group.style === "ghost") mesh.renderOrder = 2;
      group.mesh = mesh;
      return [group.layer, mesh];
    });
  }

  // Gives every piece the colour that its word means.
  paint(meaning) {
    const colour = new THREE.Color();
    for (const { style, pieces, mesh } of this.groups.values()) {
      if (style === "edges") continue;
      const { array } = mesh.geometry.attributes.color;
      for (const piece of pieces) {
        colour.set(meaning(piece.colour, piece.body));
        for (let k = piece.first; k < piece.last; k++) colour.toArray(array, 3 * k);
      }
      mesh.geometry.attributes.color.needsUpdate = true;
    }
  }

  // The body that a ray of the world meets first, and where; null without one.
  meet(ray) {
    const [own, back, each, there] = [new THREE.Matrix4(), new THREE.Matrix4(), new THREE.Matrix4(), new THREE.Vector3()];
    const corners = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    let best = null;
    for (const { style, pieces, mesh } of this.groups.values()) {
      if (!mesh.visible || style === "ghost" || style === "edges") continue;
      const { position, frame } = mesh.geometry.attributes;
      const { array: index } = mesh.geometry.index;
      for (const piece of pieces.filter((one) => one.body >= 0)) {
        const { bodies } = piece;
        this.frames.read(bodies ? 0 : piece.frame, own); // what bends is met in the world
        const local = ray.clone().applyMatrix4(back.copy(own).invert());
        for (let k = piece.begin; k < piece.end; k += 3) {
          corners.forEach((corner, i) => {
            corner.fromBufferAttribute(position, index[k + i]);
            if (bodies) corner.applyMatrix4(this.frames.read(frame.array[index[k + i]], each));
          });
          if (!local.intersectTriangle(...corners, style !== "open", there)) continue;
          const point = there.clone().applyMatrix4(own);
          const distance = point.distanceTo(ray.origin);
          const body = bodies ? bodies[frame.array[index[k]] - piece.frame] : piece.body;
          if (!best || distance < best.distance) best = { body, point, distance };
        }
      }
    }
    return best;
  }
}

// One geometry of all pieces; each then knows its vertices (first to last) and its indices (begin to end).
function merged({ style, pieces }) {
  const corners = pieces.reduce((sum, { solid }) => sum + solid.attributes.position.count, 0);
  const entries = pieces.reduce((sum, { solid }) => sum + (solid.index || solid.attributes.position).count, 0);
  const positions = new Float32Array(3 * corners);
  const normals = new Float32Array(style === "edges" ? 0 : 3 * corners);
  const frames = new Float32Array(corners);
  const index = new Uint32Array(entries);
  const [p, rigid] = [new THREE.Vector3(), new THREE.Matrix4()];
  let [vertex, entry] = [0, 0];
  for (const piece of pieces) {
    const { position, normal, ring } = piece.solid.attributes;
    Object.assign(piece, { first: vertex, last: vertex + position.count, begin: entry });
    if (piece.local) rigid.copy(piece.local);
    else rigid.identity();
    for (let k = 0; k < position.count; k++) {
      p.fromBufferAttribute(position, k).applyMatrix4(rigid).toArray(positions, 3 * (vertex + k));
      if (normals.length) p.fromBufferAttribute(normal, k).transformDirection(rigid).toArray(normals, 3 * (vertex + k));
    }
    frames.fill(piece.frame, piece.first, piece.last);
    if (ring) ring.array.forEach((k, i) => (frames[piece.first + i] += k));
    const own = piece.solid.index;
    const count = (own || position).count;
    for (let k = 0; k < count; k++) index[entry + k] = vertex + (own ? own.array[k] : k);
    vertex = piece.last;
    entry += count;
    piece.end = entry;
  }
  const out = new THREE.BufferGeometry();
  out.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  out.setAttribute("frame", new THREE.BufferAttribute(frames, 1));
  if (normals.length) {
    out.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    out.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * corners), 3));
  }
  out.setIndex(new THREE.BufferAttribute(index, 1));
  return out;
}
