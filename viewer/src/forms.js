// Solids of a scene as geometries of three.js; cylinders, cones and coils stand along z.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";
import { floats, whole } from "./data.js";

const standing = (geometry) => geometry.rotateX(Math.PI / 2);

// The solids of a scene and their edges; equal forms share one.
export class Forms {
  constructor() {
    this.known = new Map();
  }

  of(form) {
    const key = JSON.stringify(form);
    if (!this.known.has(key)) {
      const solid = MAKERS[form.type](form);
      this.known.set(key, { solid, edges: ROUND.includes(form.type) ? null : new THREE.EdgesGeometry(solid, LOOK.edge_angle) });
    }
    return this.known.get(key);
  }
}

const ROUND = ["coil", "sphere", "mesh"]; // without edges that anybody wants to see

// A cylinder along z whose middle stands at a height.
export function upright(top, bottom, length, middle) {
  return standing(new THREE.CylinderGeometry(top, bottom, length, 24)).translate(0, 0, middle);
}

const MAKERS = {
  box: (f) => new THREE.BoxGeometry(...f.size),
  cylinder: (f) => standing(new THREE.CylinderGeometry(f.radius, f.radius, f.length, f.sides || 40)),
  cone: (f) => standing(new THREE.CylinderGeometry(LOOK.cone.top * f.radius, f.radius, f.length, 24)),
  sphere: (f) => new THREE.SphereGeometry(f.radius, 32, 20),
  bowl: (f) => new THREE.SphereGeometry(f.radius, 32, 12, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).rotateX(Math.PI / 2),
  ring: (f) => {
    const outline = new THREE.Shape().absarc(0, 0, f.radius, 0, 2 * Math.PI);
    outline.holes.push(new THREE.Path().absarc(0, 0, f.inner, 0, 2 * Math.PI, true));
    return extruded(outline, f.length, 32);
  },
  rotor: (f) => {
    const outline = new THREE.Shape().absarc(0, 0, f.radius, LOOK.rotor.notch, 2 * Math.PI - LOOK.rotor.notch);
    outline.lineTo(LOOK.rotor.depth * f.radius, 0);
    return extruded(outline, f.length, 40);
  },
  gear: gear,
  coil: (f) => coil(f.radius, f.length, f.turns, f.wire).translate(0, 0, -f.length / 2),
  mesh: (f) => {
    const out = new THREE.BufferGeometry();
    out.setAttribute("position", new THREE.BufferAttribute(floats(f.corners), 3));
    out.setIndex(new THREE.BufferAttribute(whole(f.triangles), 1));
    out.computeVertexNormals();
    return out;
  },
};

function extruded(outline, length, segments) {
  const options = { depth: length, bevelEnabled: false, curveSegments: segments };
  return new THREE.ExtrudeGeometry(outline, options).translate(0, 0, -length / 2);
}

function gear(f) {
  const depth = Math.min((2 * f.radius) / f.teeth, LOOK.gear.deepest * f.radius);
  const flank = (path) => {
    const step = (2 * Math.PI) / f.teeth;
    for (let k = 0; k < f.teeth; k++) {
      for (const [turn, out] of LOOK.gear.flank) {
        const r = f.radius + out * depth;
        const angle = (k + turn) * step;
        const point = [r * Math.cos(angle), r * Math.sin(angle)];
        if (k === 0 && turn === LOOK.gear.flank[0][0]) path.moveTo(...point);
        else path.lineTo(...point);
      }
    }
    path.closePath();
    return path;
  };
  if (f.internal) {
    const outline = new THREE.Shape().absarc(0, 0, f.radius + LOOK.gear.rim * depth, 0, 2 * Math.PI);
    outline.holes.push(flank(new THREE.Path()));
    return extruded(outline, f.length, 64);
  }
  return extruded(flank(new THREE.Shape()), f.length, 1);
}

// A helix from z = 0 to z = length with straight ends on its axis.
export function coil(radius, length, turns, wire) {
  const points = [new THREE.Vector3(0, 0, 0)];
  const [begin, end] = [LOOK.coil.begin * length, LOOK.coil.end * length];
  points.push(new THREE.Vector3(0, 0, 0.5 * begin));
  const count = 16 * turns;
  for (let k = 0; k <= count; k++) {
    const angle = (2 * Math.PI * turns * k) / count;
    const z = begin + ((end - begin) * k) / count;
    points.push(new THREE.Vector3(radius * Math.cos(angle), radius * Math.sin(angle), z));
  }
  points.push(new THREE.Vector3(0, 0, (length + end) / 2), new THREE.Vector3(0, 0, length));
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 20 * turns, wire, 8);
}
