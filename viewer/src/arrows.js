// Arrows of forces (straight) and moments (around their axis), whose length follows the load.
import * as THREE from "three";
import { row } from "./data.js";

export const COLOURS = { reactions: "#d6336c", drives: "#f08c00", applied: "#7048e8", springs: "#1098ad", gravity: "#2f9e44" };
export const RADIUS = 0.3; // of the arc of a moment over the length of the arrow of a force
const Z = new THREE.Vector3(0, 0, 1);

export class Arrow {
  constructor(record, values, size) {
    this.record = record;
    this.values = values;
    this.thick = 0.006 * size;
    this.group = new THREE.Group();
    const material = new THREE.MeshStandardMaterial({ color: COLOURS[record.layer], roughness: 0.6 });
    this.material = material;
    if (record.what === "force") {
      const shaft = new THREE.CylinderGeometry(this.thick, this.thick, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
      this.shaft = new THREE.Mesh(shaft, material);
    } else {
      this.shaft = new THREE.Mesh(new THREE.TorusGeometry(1, 0.06, 8, 40, 1.5 * Math.PI), material);
    }
    const head = new THREE.ConeGeometry(2.6 * this.thick, 7 * this.thick, 16).rotateX(Math.PI / 2);
    this.head = new THREE.Mesh(head.translate(0, 0, -3.5 * this.thick), material);
    this.group.add(this.shaft, this.head);
  }

  // Places the arrow at a point; `scale` is its length per newton or newton metre.
  update(moment, point, scale) {
    const value = new THREE.Vector3(...row(this.values, 3, this.values.length > 3 ? moment : [0, 0]));
    const length = value.length() * scale;
    this.group.visible = Number.isFinite(length) && length > this.thick;
    if (!this.group.visible) return;
    this.group.position.copy(point);
    this.group.quaternion.setFromUnitVectors(Z, value.normalize());
    const head = Math.min(1, length / (14 * this.thick));
    this.head.scale.setScalar(head);
    if (this.record.what === "force") {
      this.shaft.scale.set(1, 1, Math.max(length - 7 * this.thick * head, 1e-9));
      this.head.position.set(0, 0, length);
    } else {
      const radius = RADIUS * length;
      this.shaft.scale.setScalar(radius);
      this.head.position.set(0, -radius, 0).add(new THREE.Vector3(7 * this.thick * head, 0, 0));
      this.head.rotation.set(0, Math.PI / 2, 0);
    }
  }
}
