// The mechanism in space: bodies, joints, links, paths, arrows, labels, and the camera.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrow, RADIUS } from "./arrows.js";
import { floats, moment, round125, row, short } from "./data.js";
import { coil, geometry } from "./forms.js";

const ROLES = {
  light: { joint: "#4a525e", pin: "#dfe4ea", ground: "#7d8792", motor: "#7466c9", spring: "#6d7783", rod: "#6d7783" },
  dark: { joint: "#8d98a8", pin: "#eef1f5", ground: "#6a7480", motor: "#8f84e0", spring: "#aeb8c4", rod: "#aeb8c4" },
};
const GROUNDS = { light: "#fbfcfd", dark: "#14181d" };
const Z = new THREE.Vector3(0, 0, 1);
const vector = (p) => new THREE.Vector3(p[0], p[1], p[2]);
const quaternion = ([w, x, y, z]) => new THREE.Quaternion(x, y, z, w);

export class Stage {
  // `before` is the stage that this one replaces on the same canvas.
  constructor(scene, canvas, labels, before = null) {
    this.scene = scene;
    this.canvas = canvas;
    this.labelBox = labels;
    this.count = scene.bodies.length;
    this.instants = floats(scene.instants);
    this.poses = floats(scene.poses);
    this.layers = {};
    this.materials = [];
    this.arrowScale = before ? before.arrowScale : 1;
    before?.leave();
    this.renderer = before ? before.renderer : new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.world = new THREE.Scene();
    this.up = vector(scene.up);
    this.camera = new THREE.PerspectiveCamera(26, 1, 0.01 * scene.size, 200 * scene.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.lights();
    this.bodies = scene.bodies.map(() => this.added(new THREE.Group()));
    this.ground = this.added(new THREE.Group());
    this.parts();
    this.rotors();
    this.links();
    this.traces();
    this.arrows();
    this.helpers();
    this.names();
  }

  // Gives canvas and labels to the next stage.
  leave() {
    this.controls.dispose();
    this.labelBox.replaceChildren();
  }

  // Frees what the graphics card holds, but not the renderer; once the next stage is drawn, which shares its programs.
  close() {
    this.world.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
  }

  // Looks at the mechanism from where another stage does.
  stand(other) {
    this.camera.position.copy(other.camera.position);
    this.controls.target.copy(other.controls.target);
    this.camera.near = other.camera.near;
    this.camera.far = other.camera.far;
    this.camera.updateProjectionMatrix();
    this.touched = other.touched;
    this.controls.update();
    this.draw();
  }

  added(object) {
    this.world.add(object);
    return object;
  }

  layer(name, object) {
    (this.layers[name] ||= []).push(object);
    return object;
  }

  show(name, on) {
    for (const object of this.layers[name] || []) object.visible = on;
    this.shown = { ...this.shown, [name]: on };
    if (this.state) this.update(this.time);
  }

  lights() {
    this.world.add(new THREE.HemisphereLight("#ffffff", "#c3c8d0", 2.3));
    this.sun = new THREE.DirectionalLight("#ffffff", 1.5);
    this.world.add(this.sun, this.sun.target);
  }

  // A material whose colour is a role, or one that the model names.
  material(colour, body = -1, options = {}) {
    const own = body >= 0 ? this.scene.bodies[body].colour : "#9aa3ad";
    const known = /^#[0-9a-f]{6}$/i.test(colour) || Object.hasOwn(THREE.Color.NAMES, String(colour).toLowerCase());
    const out = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, ...options });
    this.materials.push([out, ROLES.light[colour] ? colour : null, known ? colour.toLowerCase() : own]);
    return out;
  }

  holder(at) {
    return at.body < 0 ? this.ground : this.bodies[at.body];
  }

  placed(object, at) {
    object.position.set(...at.p);
    object.quaternion.copy(quaternion(at.e));
    this.holder(at).add(object);
    return object;
  }

  parts() {
    for (const part of this.scene.parts) {
      const solid = geometry(part.form);
      const options = { side: part.form.type === "bowl" || part.form.type === "mesh" ? THREE.DoubleSide : THREE.FrontSide };
      const mesh = new THREE.Mesh(solid, this.material(part.colour, part.at.body, options));
      if (part.form.type !== "coil" && part.form.type !== "sphere" && part.form.type !== "mesh") {
        const line = new THREE.LineBasicMaterial({ color: "#000000", transparent: true, opacity: 0.32 });
        mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(solid, 35), line));
      }
      if (part.layer === "joints") mesh.add(this.shadow(solid, part));
      this.layer(part.layer, this.placed(mesh, part.at));
    }
  }

  // A symbol that a body covers shines through it.
  shadow(solid, part) {
    const style = this.material(part.colour, part.at.body, { transparent: true, opacity: 0.3, depthTest: false, depthWrite: false });
    const out = new THREE.Mesh(solid, style);
    out.renderOrder = 2;
    return out;
  }

  rotors() {
    this.turning = this.scene.rotors.map((rotor) => {
      const frame = this.layer("motors", this.placed(new THREE.Group(), rotor.at));
      const disc = new THREE.Mesh(geometry(rotor.form), this.material("pin"));
      frame.add(disc);
      return [disc, floats(rotor.angle)];
    });
  }

  links() {
    this.stretching = this.scene.links.map((link) => {
      const group = this.layer("links", this.added(new THREE.Group()));
      const { radius, length, kind } = link;
      const parts = { group, link };
      if (kind === "rod" || kind === "line") {
        const rod = upright(radius, radius, 1).translate(0, 0, 0.5);
        parts.rod = new THREE.Mesh(rod, this.material("rod"));
      }
      if (kind.startsWith("spring")) {
        const turns = Math.max(5, Math.min(14, Math.round(length / (1.1 * radius))));
        parts.coil = new THREE.Mesh(coil(radius, length, turns, 0.14 * radius), this.material("spring"));
      }
      if (kind.endsWith("damper")) {
        const half = 0.5 * length;
        parts.tube = new THREE.Mesh(upright(0.6 * radius, 0.6 * radius, half).translate(0, 0, half / 2), this.material("joint"));
        parts.stem = new THREE.Mesh(upright(0.22 * radius, 0.22 * radius, 1).translate(0, 0, 0.5), this.material("pin"));
      }
      for (const name of ["rod", "coil", "tube", "stem"]) if (parts[name]) group.add(parts[name]);
      return parts;
    });
  }

  // Moves a point of a body into the world at an instant.
  point(at, now) {
    const p = vector(at.p);
    if (at.body < 0) return p;
    const { position, turn } = this.pose(at.body, now);
    return p.applyQuaternion(turn).add(position);
  }

  // Shows the bodies in poses that are those of no instant; null goes back to the run.
  hold(poses) {
    this.held = poses && floats(poses);
    this.update(this.time);
  }

  // Where the ray through a point of the canvas meets the plane through a point of the world that faces the reader.
  meet(x, y, point) {
    const at = new THREE.Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    this.ray ||= new THREE.Raycaster();
    this.ray.setFromCamera(at, this.camera);
    const normal = this.scene.normal ? vector(this.scene.normal) : this.camera.getWorldDirection(new THREE.Vector3());
    return this.ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point), new THREE.Vector3());
  }

  // A point of the world in the axes of a body.
  onBody(body, point) {
    const { position, turn } = this.pose(body, this.state);
    return point.clone().sub(position).applyQuaternion(turn.invert());
  }

  pose(body, now) {
    const width = 7 * this.count;
    if (this.held) {
      const own = Array.from(this.held.subarray(7 * body, 7 * body + 7));
      return { position: vector(own), turn: quaternion(own.slice(3)).normalize() };
    }
    const position = vector(row(this.poses, width, now, 7 * body, 3));
    const turn = quaternion(row(this.poses, width, now, 7 * body + 3, 4)).normalize();
    return { position, turn };
  }

  traces() {
    this.wide = [];
    this.paths = this.scene.traces.map((trace) => {
      const points = Array.from(this.instants, (_, k) => this.point(trace.at, [k, 0]).toArray()).flat();
      const colour = trace.at.body < 0 ? "#888888" : this.scene.bodies[trace.at.body].colour;
      const make = (opacity) => {
        const style = new LineMaterial({ color: colour, transparent: true, opacity, linewidth: opacity < 1 ? 1.2 : 2.2 });
        this.wide.push(style);
        const line = this.added(new Line2(new LineGeometry().setPositions(points), style));
        line.frustumCulled = false;
        return this.layer("traces", line);
      };
      make(0.3);
      const done = make(1);
      const dot = new THREE.Mesh(new THREE.SphereGeometry(0.008 * this.scene.size, 16, 12), new THREE.MeshBasicMaterial({ color: colour }));
      this.layer("traces", this.added(dot));
      return { done, dot, at: trace.at };
    });
  }

  arrows() {
    this.loads = this.scene.arrows.map((record) => {
      const arrow = new Arrow(record, floats(record.value), this.scene.size);
      const holder = this.added(new THREE.Group());
      holder.add(arrow.group);
      this.layer(record.layer, holder);
      return { arrow, holder, typical: record.typical };
    });
  }

  // Length per newton, or newton metre: the largest arrow that is shown is a quarter as long as the mechanism.
  scale(what) {
    const shown = this.loads.filter(({ arrow, holder }) => holder.visible && arrow.record.what === what);
    const largest = Math.max(0, ...shown.map(({ typical }) => typical));
    return largest > 0 ? (0.25 * this.scene.size * this.arrowScale) / largest : 0;
  }

  helpers() {
    const { low, high, size } = this.scene;
    const normal = this.scene.normal ? vector(this.scene.normal) : this.up;
    this.cell = round125(size / 6);
    const [a, b] = [vector(low), vector(high)];
    const centre = a.clone().add(b).multiplyScalar(0.5);
    const span = b.clone().sub(a);
    const reach = Math.max(span.x, span.y, span.z) + 2 * this.cell;
    const cells = 2 * Math.ceil(reach / this.cell / 2 + 1);
    this.grid = new THREE.GridHelper(cells * this.cell, cells);
    this.grid.material.transparent = true;
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    const front = this.facing();
    const back = this.scene.normal ? centre.clone().addScaledVector(front, -Math.abs(span.dot(front)) / 2 - 0.06 * size)
      : centre.clone().addScaledVector(this.up, -Math.abs(span.dot(this.up)) / 2 - 0.055 * size);
    const snap = (x) => Math.round(x / this.cell) * this.cell;
    const plane = normal.clone().multiplyScalar(back.dot(normal));
    const inside = new THREE.Vector3(snap(back.x), snap(back.y), snap(back.z));
    this.grid.position.copy(inside.addScaledVector(normal, -inside.dot(normal)).add(plane));
    this.layer("grid", this.added(this.grid));
    const triad = (length) => {
      const group = new THREE.Group();
      const thick = 0.035 * length;
      for (const [axis, colour] of [[[1, 0, 0], "#e03131"], [[0, 1, 0], "#2f9e44"], [[0, 0, 1], "#1c7ed6"]]) {
        const style = new THREE.MeshBasicMaterial({ color: colour });
        const shaft = new THREE.Mesh(upright(thick, thick, length).translate(0, 0, length / 2), style);
        const head = new THREE.Mesh(upright(0, 2.4 * thick, 0.2 * length).translate(0, 0, 1.1 * length), style);
        const arm = new THREE.Group();
        arm.add(shaft, head);
        arm.quaternion.setFromUnitVectors(Z, new THREE.Vector3(...axis));
        group.add(arm);
      }
      return group;
    };
    this.layer("world axes", this.added(triad(0.1 * size)));
    for (const body of this.bodies) {
      const axes = triad(0.09 * size);
      this.layer("body axes", axes);
      body.add(axes);
    }
  }

  names() {
    const owners = new Map();
    const linked = new Set(this.scene.links.map((link) => link.owner));
    for (const part of this.scene.parts) {
      const kind = part.layer === "shapes" || part.layer === "masses" ? "body" : part.layer;
      if (kind === "ground" || linked.has(part.owner)) continue;
      owners.set(`${kind}\n${part.owner}`, owners.get(`${kind}\n${part.owner}`) || [part]);
      if (kind === "body") owners.get(`${kind}\n${part.owner}`).push(part);
    }
    this.labels = [];
    const add = (text, kind, at, colour) => {
      const box = document.createElement("span");
      box.textContent = text;
      box.className = `label ${kind}`;
      if (colour) box.style.color = colour;
      this.labelBox.append(box);
      this.labels.push([box, at]);
    };
    for (const [key, parts] of owners) {
      const [kind, name] = key.split("\n");
      const body = parts[0].at.body;
      const p = [0, 1, 2].map((i) => parts.reduce((sum, part) => sum + part.at.p[i], 0) / parts.length);
      add(name, kind, { body, p }, kind === "body" && body >= 0 ? this.scene.bodies[body].colour : "");
    }
    for (const link of this.scene.links) add(link.owner, "link", [link.a, link.b]);
    this.show("labels", false);
  }

  theme(name) {
    this.dark = name === "dark";
    const roles = ROLES[name];
    for (const [material, role, colour] of this.materials) material.color.set(role ? roles[role] : colour);
    this.world.background = new THREE.Color(GROUNDS[name]);
    this.grid.material.color.set(this.dark ? "#ffffff" : "#000000");
    this.grid.material.opacity = this.dark ? 0.13 : 0.13;
    this.grid.material.vertexColors = false;
    this.grid.material.needsUpdate = true;
    this.draw();
  }

  // The direction from the mechanism to somebody who sees its plane with x, or y, to the right.
  facing() {
    const n = this.scene.normal;
    if (!n) {
      const across = Math.abs(this.up.z) > 0.5 ? new THREE.Vector3(1, 0, 0) : Math.abs(this.up.y) > 0.5 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
      return across.cross(this.up);
    }
    return vector(n).multiplyScalar(n[1] ? -1 : 1);
  }

  look(name) {
    const front = this.facing();
    const right = this.up.clone().cross(front);
    const ways = {
      start: this.scene.normal ? [1, 0.1, 0.12] : [1, 0.55, 0.62],
      front: [1, 0, 0],
      side: [0, 0, 1],
      top: [0.0001, 1, 0],
      oblique: [1, 0.55, 0.62],
    };
    const [f, u, r] = ways[name];
    const way = front.clone().multiplyScalar(f).addScaledVector(this.up, u).addScaledVector(right, r).normalize();
    this.fit(way);
  }

  fit(way) {
    const { low, high, size } = this.scene;
    const extra = 0.05 * size;
    const shift = this.followed ? this.followed.position.clone().sub(this.pose(this.followed.body, [0, 0]).position) : new THREE.Vector3();
    const centre = vector(low).add(vector(high)).multiplyScalar(0.5).add(shift);
    const right = this.up.clone().cross(way).normalize();
    const above = way.clone().cross(right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * this.camera.aspect;
    let distance = 0.1 * size;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(...[0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] + extra : low[i] - extra))).add(shift).sub(centre);
      const near = corner.dot(way);
      distance = Math.max(distance, Math.abs(corner.dot(right)) / (0.92 * wide) + near, Math.abs(corner.dot(above)) / (0.9 * tall) + near);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(way, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  follow(body) {
    this.followed = body < 0 ? null : { body, position: this.pose(body, this.state).position };
  }

  resize(width, height) {
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setSize(width, height, false);
    for (const style of this.wide) style.resolution.set(width, height);
    const before = this.camera.aspect;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (before !== this.camera.aspect && this.arranged) {
      const way = this.camera.position.clone().sub(this.controls.target).normalize();
      if (!this.touched) this.fit(way);
    }
    this.draw();
  }

  update(time) {
    this.time = time;
    this.state = moment(this.instants, time);
    this.bodies.forEach((group, k) => {
      const { position, turn } = this.pose(k, this.state);
      group.position.copy(position);
      group.quaternion.copy(turn);
    });
    for (const [disc, angle] of this.turning) disc.rotation.z = row(angle, 1, this.state)[0];
    for (const parts of this.stretching) stretch(parts, this.point(parts.link.a, this.state), this.point(parts.link.b, this.state));
    for (const path of this.paths) {
      path.dot.position.copy(this.point(path.at, this.state));
      path.done.geometry.instanceCount = this.state[0];
    }
    const scales = { force: this.scale("force"), moment: this.scale("moment") };
    for (const { arrow, holder } of this.loads) {
      if (holder.visible) arrow.update(this.state, this.point(arrow.record.at, this.state), scales[arrow.record.what]);
    }
    if (this.followed) {
      const { position } = this.pose(this.followed.body, this.state);
      const shift = position.clone().sub(this.followed.position);
      this.followed.position = position;
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.controls.update();
    }
    this.draw();
  }

  draw() {
    if (!this.state) return;
    this.sun.position.copy(this.camera.position).addScaledVector(this.up, 0.8 * this.camera.position.distanceTo(this.controls.target));
    this.sun.target.position.copy(this.controls.target);
    this.renderer.render(this.world, this.camera);
    if (this.shown?.labels) this.placeLabels();
    this.labelBox.hidden = !this.shown?.labels;
  }

  // Puts names at their parts; a name that would cover another one moves down, or stays away.
  placeLabels() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const taken = [];
    for (const [box, at] of this.labels) {
      const p = Array.isArray(at)
        ? this.point(at[0], this.state).add(this.point(at[1], this.state)).multiplyScalar(0.5)
        : this.point(at, this.state);
      const q = p.project(this.camera);
      const [x, y0] = [((q.x + 1) / 2) * width + 8, ((1 - q.y) / 2) * height - 18];
      const [w, h] = [7 * box.textContent.length + 6, 15];
      let y = y0;
      const free = () => !taken.some(([a, b, c, d]) => x < a + c && a < x + w && y < b + d && b < y + h);
      while (!free() && y < y0 + 5 * h) y += h;
      box.hidden = !free() || q.z > 1 || x < 0 || x > width;
      if (box.hidden) continue;
      taken.push([x, y, w, h]);
      box.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  // The body whose picture lies under a point of the canvas, and that point in the world; null without one.
  pick(x, y) {
    const at = new THREE.Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    this.ray ||= new THREE.Raycaster();
    this.ray.setFromCamera(at, this.camera);
    for (const { object, point } of this.ray.intersectObjects(this.bodies, true)) {
      if (!object.isMesh) continue;
      let top = object;
      let visible = true;
      while (!this.bodies.includes(top)) {
        visible &&= top.visible;
        top = top.parent;
      }
      if (visible) return { body: this.bodies.indexOf(top), point };
    }
    return null;
  }

  pixel(point) {
    const q = vector(point).project(this.camera);
    return [((q.x + 1) / 2) * this.canvas.clientWidth, ((1 - q.y) / 2) * this.canvas.clientHeight];
  }

  scaleText() {
    const texts = [`grid ${short(this.cell)} m`];
    for (const [what, unit] of [["force", "N"], ["moment", "N m"]]) {
      const scale = this.scale(what);
      const length = what === "force" ? scale : RADIUS * scale;
      if (scale) texts.push(`${what}: ${what === "force" ? "length" : "radius"} of a cell is ${short(Number((this.cell / length).toPrecision(2)))} ${unit}`);
    }
    return texts.join(" · ");
  }
}

function upright(top, bottom, length) {
  return new THREE.CylinderGeometry(top, bottom, length, 24).rotateX(Math.PI / 2);
}

function stretch({ group, link, rod, coil: spring, tube, stem }, a, b) {
  const d = b.clone().sub(a);
  const length = Math.max(d.length(), 1e-9);
  group.position.copy(a);
  group.quaternion.setFromUnitVectors(Z, d.divideScalar(length));
  if (rod) rod.scale.z = length;
  if (spring) spring.scale.z = length / Math.max(link.length, 1e-9);
  if (stem) {
    stem.position.z = Math.min(0.5 * link.length, length);
    stem.scale.z = Math.max(length - stem.position.z, 1e-9);
    tube.scale.z = Math.min(1, length / Math.max(0.5 * link.length, 1e-9));
  }
}
