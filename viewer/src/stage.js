// The mechanism in space: bodies, joints, links, paths, arrows, labels, and the camera.
import * as THREE from "three";
import LOOK from "../../src/cardan/view/scene/look.json";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrow, shapes } from "./arrows.js";
import { between, floats, mixed, moment, round125, short } from "./data.js";
import { Forms, upright } from "./forms.js";
import { Frames } from "./frames.js";
import { Labels } from "./labels.js";
import { Link } from "./links.js";
import { Rod } from "./rods.js";
import { Solids } from "./solids.js";
import { Traces } from "./traces.js";

const AXES = LOOK.axes.map((colour, k) => [[0, 1, 2].map((i) => (i === k ? 1 : 0)), colour]);
const Z = new THREE.Vector3(0, 0, 1);
const ONE = new THREE.Vector3(1, 1, 1);
const vector = (p) => new THREE.Vector3(p[0], p[1], p[2]);
const quaternion = ([w, x, y, z]) => new THREE.Quaternion(x, y, z, w);
const rigid = (at) => new THREE.Matrix4().compose(vector(at.p), quaternion(at.e), ONE);

// What each picture writes anew.
const position = new THREE.Vector3();
const turn = new THREE.Quaternion();
const other = new THREE.Vector3();
const matrix = new THREE.Matrix4();
const spin = new THREE.Matrix4();
const numbers = new Array(7);

export class Stage {
  // `before` is the stage that this one replaces on the same canvas.
  constructor(scene, canvas, labels, before = null) {
    this.scene = scene;
    this.canvas = canvas;
    this.labels = new Labels(labels);
    this.count = scene.bodies.length;
    this.instants = floats(scene.instants);
    this.poses = floats(scene.poses);
    this.layers = {};
    this.arrowScale = before ? before.arrowScale : 1;
    before?.leave();
    this.renderer = before ? before.renderer : new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.world = new THREE.Scene();
    this.up = vector(scene.up);
    this.camera = new THREE.PerspectiveCamera(LOOK.camera.angle, 1, 0.01 * scene.size, 200 * scene.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.lights();
    const { bodies, rotors, links, arrows, rods } = scene;
    const rings = rods.reduce((sum, rod) => sum + rod.rings.length, 0);
    this.frames = new Frames(1 + bodies.length + rotors.length + 3 * links.length + 2 * arrows.length + rings);
    this.solids = new Solids(this.frames);
    this.forms = new Forms();
    this.standing = bodies.map(() => this.frames.take());
    this.parts();
    this.rotors();
    this.links();
    this.bending = scene.rods.map((rod) => new Rod(rod, this.solids));
    this.traces();
    this.arrows();
    this.grid();
    this.axes();
    this.names();
    for (const [layer, mesh] of this.solids.meshes()) this.layer(layer, this.added(mesh));
  }

  // Gives canvas and labels to the next stage.
  leave() {
    this.controls.dispose();
    this.labels.box.replaceChildren();
  }

  // Frees what the graphics card holds, but not the renderer; once the next stage is drawn, which shares its programs.
  close() {
    this.world.traverse((object) => {
      object.geometry?.dispose();
      for (const material of [object.material].flat()) material?.dispose();
    });
    this.frames.texture.dispose();
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
    this.labels.box.hidden = !this.shown.labels;
    this.rescale();
    if (this.state) this.update(this.time);
  }

  lights() {
    this.world.add(new THREE.HemisphereLight("#ffffff", LOOK.light.from_below, LOOK.light.sky));
    this.sun = new THREE.DirectionalLight("#ffffff", LOOK.light.sun);
    this.world.add(this.sun, this.sun.target);
  }

  // Number of the frame of a body; −1 is the ground.
  frame(body) {
    return body < 0 ? 0 : this.standing[body];
  }

  // The solids, their edges, and the symbols of joints that shine through what covers them.
  parts() {
    for (const { form, at, colour, layer } of this.scene.parts) {
      const { solid, edges } = this.forms.of(form);
      const about = { local: rigid(at), colour, body: at.body };
      const style = form.type === "bowl" || form.type === "mesh" ? "open" : "solid";
      this.solids.add(layer, style, solid, this.frame(at.body), about);
      if (edges) this.solids.add(layer, "edges", edges, this.frame(at.body), about);
      if (layer === "joints") this.solids.add(layer, "ghost", solid, this.frame(at.body), about);
    }
  }

  rotors() {
    this.turning = this.scene.rotors.map(({ layer, form, at, angle }) => {
      const frame = this.frames.take();
      this.solids.add(layer, "solid", this.forms.of(form).solid, frame, { colour: "pin", body: at.body });
      return { frame, body: at.body, local: rigid(at), angle: floats(angle) };
    });
  }

  links() {
    this.stretching = this.scene.links.map((link) => new Link(link, this.solids));
  }

  // A point of a body in the world as it is shown, in `out`.
  point({ body, p }, out) {
    return this.frames.carry(this.frame(body), p, out);
  }

  // Shows the bodies in poses that are those of no instant; null goes back to the run.
  hold(poses) {
    this.held = poses && floats(poses);
    this.update(this.time);
  }

  // Where the ray through a point of the canvas meets the plane through a point of the world that faces the reader.
  meet(x, y, point) {
    const at = new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
    this.ray ||= new THREE.Raycaster();
    this.ray.setFromCamera(at, this.camera);
    const normal = this.scene.normal ? vector(this.scene.normal) : this.camera.getWorldDirection(new THREE.Vector3());
    return this.ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point), new THREE.Vector3());
  }

  // A point of the world in the axes of a body.
  onBody(body, point) {
    const { position, turn } = this.pose(body);
    return point.clone().sub(position).applyQuaternion(turn.invert());
  }

  // Position and orientation of a body as it is shown.
  pose(body, now = this.state) {
    this.read(body, now);
    return { position: position.clone(), turn: turn.clone() };
  }

  // The same, into the vector and the quaternion of this file.
  read(body, now) {
    const [array, width, from] = this.held ? [this.held, 0, [0, 0]] : [this.poses, 7 * this.count, now];
    const [x, y, z, qw, qx, qy, qz] = mixed(array, width, from, 7 * body, numbers);
    position.set(x, y, z);
    turn.set(qx, qy, qz, qw).normalize();
  }

  traces() {
    const { traces, bodies, size } = this.scene;
    if (!traces.length) return;
    const colours = traces.map(({ at }) => (at.body < 0 ? LOOK.still : bodies[at.body].colour));
    const paths = traces.map(({ at }) => {
      const path = new Float32Array(3 * this.instants.length);
      for (let k = 0; k < this.instants.length; k++) {
        other.set(...at.p);
        if (at.body >= 0) {
          this.read(at.body, [k, 0]);
          other.applyQuaternion(turn).add(position);
        }
        other.toArray(path, 3 * k);
      }
      return path;
    });
    this.paths = new Traces(paths, colours);
    this.layer("traces", this.added(this.paths.mesh));
    const ball = new THREE.SphereGeometry(LOOK.path.ball * size, 16, 12);
    traces.forEach(({ at }, k) => {
      this.solids.add("traces", "flat", ball, this.frame(at.body), { local: new THREE.Matrix4().setPosition(...at.p), colour: colours[k] });
    });
  }

  arrows() {
    const solids = shapes(this.scene.size);
    this.loads = this.scene.arrows.map((record) => new Arrow(record, floats(record.value), this.scene.size, this.solids, solids));
    this.rescale();
  }

  // Length per newton and newton metre: the largest arrow that is shown is a quarter as long as the mechanism.
  rescale() {
    this.scales = { force: 0, moment: 0 };
    for (const what of Object.keys(this.scales)) {
      const shown = this.loads.filter(({ record }) => record.what === what && this.shown?.[record.layer] !== false);
      const largest = Math.max(0, ...shown.map(({ record }) => record.typical));
      if (largest > 0) this.scales[what] = (LOOK.arrow.length * this.scene.size * this.arrowScale) / largest;
    }
  }

  // How long arrows are against what would suit the mechanism.
  stretchArrows(factor) {
    this.arrowScale = factor;
    this.rescale();
    this.update(this.time);
  }

  get hasArrows() {
    return this.loads.some(({ record }) => this.shown?.[record.layer] !== false);
  }

  grid() {
    const { low, high, size } = this.scene;
    const normal = this.scene.normal ? vector(this.scene.normal) : this.up;
    this.cell = round125(size / LOOK.grid.cells);
    const [a, b] = [vector(low), vector(high)];
    const centre = a.clone().add(b).multiplyScalar(0.5);
    const span = b.clone().sub(a);
    const reach = Math.max(span.x, span.y, span.z) + 2 * this.cell;
    const cells = 2 * Math.ceil(reach / this.cell / 2 + 1);
    this.floor = new THREE.GridHelper(cells * this.cell, cells);
    this.floor.material.transparent = true;
    this.floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    const front = this.facing();
    const back = this.scene.normal ? centre.clone().addScaledVector(front, -Math.abs(span.dot(front)) / 2 - LOOK.grid.behind * size)
      : centre.clone().addScaledVector(this.up, -Math.abs(span.dot(this.up)) / 2 - LOOK.grid.below * size);
    const snap = (x) => Math.round(x / this.cell) * this.cell;
    const plane = normal.clone().multiplyScalar(back.dot(normal));
    const inside = new THREE.Vector3(snap(back.x), snap(back.y), snap(back.z));
    this.floor.position.copy(inside.addScaledVector(normal, -inside.dot(normal)).add(plane));
    this.layer("grid", this.added(this.floor));
  }

  axes() {
    const triad = (layer, frame) => {
      const length = LOOK.triad[layer] * this.scene.size;
      const thick = LOOK.triad.thick * length;
      const tip = LOOK.triad.head_length * length;
      for (const [axis, colour] of AXES) {
        turn.setFromUnitVectors(Z, position.set(...axis));
        const about = { local: new THREE.Matrix4().makeRotationFromQuaternion(turn), colour };
        this.solids.add(layer, "flat", upright(thick, thick, length, length / 2), frame, about);
        this.solids.add(layer, "flat", upright(0, LOOK.triad.head_radius * thick, tip, length + tip / 2), frame, about);
      }
    };
    triad("world axes", 0);
    for (const frame of this.standing) triad("body axes", frame);
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
    for (const [key, parts] of owners) {
      const [kind, name] = key.split("\n");
      const body = parts[0].at.body;
      const p = [0, 1, 2].map((i) => parts.reduce((sum, part) => sum + part.at.p[i], 0) / parts.length);
      const colour = kind === "body" && body >= 0 ? this.scene.bodies[body].colour : "";
      this.labels.add(name, kind, colour, (out) => this.point({ body, p }, out));
    }
    for (const { owner, a, b } of this.scene.links) {
      this.labels.add(owner, "link", "", (out) => this.point(a, out).add(this.point(b, other)).multiplyScalar(0.5));
    }
    this.scene.rods.forEach(({ owner, colour }, k) => {
      this.labels.add(owner, "body", colour, (out) => this.frames.carry(this.bending[k].middle, [0, 0, 0], out));
    });
    this.show("labels", false);
  }

  theme(name) {
    const colours = LOOK.themes[name];
    this.solids.paint((word, body) => {
      if (Object.hasOwn(colours, word)) return colours[word];
      const known = /^#[0-9a-f]{6}$/i.test(word) || Object.hasOwn(THREE.Color.NAMES, String(word).toLowerCase());
      return known ? word.toLowerCase() : body >= 0 ? this.scene.bodies[body].colour : LOOK.still;
    });
    this.world.background = new THREE.Color(colours.background);
    this.floor.material.color.set(colours.grid);
    this.floor.material.opacity = LOOK.opacity.grid;
    this.floor.material.vertexColors = false;
    this.floor.material.needsUpdate = true;
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
    const { looks, start_of_planar } = LOOK.camera;
    const [f, u, r] = name === "start" && this.scene.normal ? start_of_planar : looks[name];
    const way = front.clone().multiplyScalar(f).addScaledVector(this.up, u).addScaledVector(right, r).normalize();
    this.fit(way);
  }

  fit(way) {
    const { low, high, size } = this.scene;
    const { wide: fillX, tall: fillY, margin } = LOOK.camera;
    const extra = margin * size;
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
      distance = Math.max(distance, Math.abs(corner.dot(right)) / (fillX * wide) + near, Math.abs(corner.dot(above)) / (fillY * tall) + near);
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
    this.followed = body < 0 ? null : { body, position: this.pose(body).position };
  }

  resize(width, height) {
    if (width === this.width && height === this.height && this.renderer.getPixelRatio() === window.devicePixelRatio) return;
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setSize(width, height, false);
    this.paths?.resize(width, height);
    [this.width, this.height] = [width, height];
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
    this.moving = true;
    this.time = time;
    this.state = moment(this.instants, time);
    const { frames } = this;
    for (let k = 0; k < this.count; k++) {
      this.read(k, this.state);
      frames.put(this.standing[k], position, turn);
    }
    for (const { frame, body, local, angle } of this.turning) {
      frames.read(this.frame(body), matrix).multiply(local).multiply(spin.makeRotationZ(between(angle, this.state)));
      matrix.toArray(frames.values, 16 * frame);
    }
    for (const rod of this.bending) rod.update(frames, (body) => this.frame(body));
    for (const link of this.stretching) link.update(frames, this.point(link.record.a, position), this.point(link.record.b, other));
    this.paths?.update(this.state);
    for (const load of this.loads) {
      const { layer, at, what } = load.record;
      if (this.shown?.[layer] !== false) load.update(frames, this.state, load.moved(this.state, position) ?? this.point(at, position), this.scales[what]);
    }
    frames.send();
    if (this.followed) {
      const { position } = this.pose(this.followed.body, this.state);
      const shift = position.clone().sub(this.followed.position);
      this.followed.position = position;
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.controls.update();
    }
    this.moving = false;
    this.draw();
  }

  draw() {
    if (!this.arranged || this.moving) return;
    this.sun.position.copy(this.camera.position).addScaledVector(this.up, LOOK.light.sun_above * this.camera.position.distanceTo(this.controls.target));
    this.sun.target.position.copy(this.controls.target);
    this.renderer.render(this.world, this.camera);
    if (this.shown.labels) this.labels.update(this.camera, this.width, this.height);
  }

  // The body whose picture lies under a point of the canvas, and that point in the world; null without one.
  pick(x, y) {
    const at = new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
    this.ray ||= new THREE.Raycaster();
    this.ray.setFromCamera(at, this.camera);
    return this.solids.meet(this.ray.ray);
  }

  pixel(point) {
    const q = vector(point).project(this.camera);
    return [((q.x + 1) / 2) * this.width, ((1 - q.y) / 2) * this.height];
  }

  scaleText() {
    const texts = [`grid ${short(this.cell)} m`];
    for (const [what, unit] of [["force", "N"], ["moment", "N*m"]]) {
      const scale = this.scales[what];
      const length = what === "force" ? scale : LOOK.arrow.arc * scale;
      if (scale) texts.push(`${what}: ${what === "force" ? "length" : "radius"} of a cell is ${short(Number((this.cell / length).toPrecision(2)))} ${unit}`);
    }
    return texts.join(" · ");
  }
}
