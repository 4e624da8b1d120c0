// Paths of points: what lies behind a point is drawn strong and wide, what lies ahead of it faint.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";

const STEP = 6; // entries of the index for the two triangles from one instant to the next

export class Traces {
  // `paths` are arrays with three numbers per instant, all of the same number of instants.
  constructor(paths, colours) {
    const count = paths[0].length / 3;
    this.width = paths.length;
    this.steps = count - 1;
    const corners = 2 * count * this.width; // two at each point of a path, which the program moves apart across it
    const [place, before, after, colour] = [0, 1, 2, 3].map(() => new Float32Array(3 * corners));
    const side = new Float32Array(corners);
    const tint = new THREE.Color();
    paths.forEach((path, j) => {
      tint.set(colours[j]);
      for (let k = 0; k < count; k++) {
        for (const s of [0, 1]) {
          const v = 2 * (k * this.width + j) + s;
          const copy = (from, to) => to.set(path.subarray(3 * from, 3 * from + 3), 3 * v);
          copy(k, place);
          copy(Math.max(k - 1, 0), before);
          copy(Math.min(k + 1, count - 1), after);
          tint.toArray(colour, 3 * v);
          side[v] = 2 * s - 1;
        }
      }
    });
    // The steps of all paths from one instant to the next stand together, so that one number divides them.
    const index = new Uint32Array(STEP * this.steps * this.width);
    for (let k = 0; k < this.steps * this.width; k++) {
      const [a, b] = [2 * k, 2 * (k + this.width)];
      index.set([a, a + 1, b, b, a + 1, b + 1], STEP * k);
    }
    const geometry = new THREE.BufferGeometry();
    for (const [name, array] of Object.entries({ position: place, before, after, color: colour })) {
      geometry.setAttribute(name, new THREE.BufferAttribute(array, 3));
    }
    geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.screen = { value: new THREE.Vector2(1, 1) };
    const material = [this.material(LOOK.path.behind, 1), this.material(LOOK.path.ahead, LOOK.opacity.ahead)];
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  material(width, opacity) {
    return new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { screen: this.screen, width: { value: width }, opacity: { value: opacity } },
      vertexColors: true,
      transparent: true,
      side: THREE.DoubleSide,
    });
  }

  update([step]) {
    const { geometry } = this.mesh;
    const [all, done] = [this.steps, step].map((steps) => STEP * steps * this.width);
    geometry.clearGroups();
    geometry.addGroup(0, done, 0);
    geometry.addGroup(done, all - done, 1);
  }

  resize(width, height) {
    this.screen.value.set(width, height);
  }
}

// A corner lies beside its point, across the way on the screen from the point before to the point after.
const VERTEX = `
attribute vec3 before;
attribute vec3 after;
attribute float side;
uniform vec2 screen;
uniform float width;
varying vec3 tint;
vec4 seen(vec3 p) {
  return projectionMatrix * modelViewMatrix * vec4(p, 1.0);
}
void main() {
  tint = color;
  gl_Position = seen(position);
  vec4 a = seen(before);
  vec4 b = seen(after);
  vec2 way = (b.xy / b.w - a.xy / a.w) * screen;
  float size = length(way);
  vec2 across = size > 0.0 ? vec2(-way.y, way.x) / size : vec2(0.0, 1.0);
  gl_Position.xy += side * width * across / screen * gl_Position.w;
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 tint;
void main() {
  gl_FragColor = vec4(tint, opacity);
  #include <colorspace_fragment>
}`;
