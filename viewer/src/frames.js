// Where everything stands: one 4×4 matrix per frame that moves, in a texture that the solids of all layers read.
import * as THREE from "three";

const PER_ROW = 256; // frames in one row of the texture, four texels each

const point = new THREE.Vector3();
const turn = new THREE.Quaternion();
const size = new THREE.Vector3();
const matrix = new THREE.Matrix4();

export class Frames {
  // Room for `count` frames; the first is the world, which stands still.
  constructor(count) {
    const rows = Math.ceil(count / PER_ROW);
    this.values = new Float32Array(16 * PER_ROW * rows);
    this.texture = new THREE.DataTexture(this.values, 4 * PER_ROW, rows, THREE.RGBAFormat, THREE.FloatType);
    this.taken = 0;
    this.put(this.take(), point.set(0, 0, 0), turn.identity());
  }

  take() {
    return this.taken++;
  }

  // Origin, orientation, and scales along its three axes.
  put(k, origin, orientation, sx = 1, sy = sx, sz = sx) {
    matrix.compose(origin, orientation, size.set(sx, sy, sz)).toArray(this.values, 16 * k);
  }

  // What is fixed to the frame shrinks to nothing.
  hide(k) {
    this.values.fill(0, 16 * k, 16 * k + 16);
  }

  // Matrix of a frame, in `out`.
  read(k, out) {
    return out.fromArray(this.values, 16 * k);
  }

  // A point of a frame in the world, in `out`.
  carry(k, p, out) {
    const m = this.values;
    const o = 16 * k;
    return out.set(
      m[o] * p[0] + m[o + 4] * p[1] + m[o + 8] * p[2] + m[o + 12],
      m[o + 1] * p[0] + m[o + 5] * p[1] + m[o + 9] * p[2] + m[o + 13],
      m[o + 2] * p[0] + m[o + 6] * p[1] + m[o + 10] * p[2] + m[o + 14],
    );
  }

  send() {
    this.texture.needsUpdate = true;
  }
}

// Makes a material's program read the frame of each vertex before all else that it does.
export function reads(material, frames) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.frames = { value: frames.texture };
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `${READ}\nvoid main() {\nmat4 standing = frameMatrix();`)
      .replace("#include <beginnormal_vertex>", `#include <beginnormal_vertex>\n${TURN}`)
      .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed = (standing * vec4(transformed, 1.0)).xyz;");
  };
  return material;
}

const READ = `
attribute float frame;
uniform highp sampler2D frames;
mat4 frameMatrix() {
  int k = int(frame);
  ivec2 at = ivec2(4 * (k % ${PER_ROW}), k / ${PER_ROW});
  return mat4(texelFetch(frames, at, 0), texelFetch(frames, at + ivec2(1, 0), 0),
    texelFetch(frames, at + ivec2(2, 0), 0), texelFetch(frames, at + ivec2(3, 0), 0));
}`;

// Normals of what is stretched along its axes: divided by the squares of the scales.
const TURN = `
mat3 axes = mat3(standing);
objectNormal = axes * (objectNormal / max(vec3(dot(axes[0], axes[0]), dot(axes[1], axes[1]), dot(axes[2], axes[2])), 1e-30));`;
