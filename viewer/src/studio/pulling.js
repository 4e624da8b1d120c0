// Bodies pulled with the pointer at the start of the run, while the loops of their mechanism stay closed.
export class Pulling {
  constructor(link, player, button, canvas) {
    Object.assign(this, { link, player, button, canvas, on: false, held: null });
    button.addEventListener("click", () => this.toggle(!this.on));
    canvas.addEventListener("pointerdown", (event) => this.take(event), true);
    canvas.addEventListener("pointermove", (event) => this.held && this.move(event), true);
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.held && this.drop(event), true);
  }

  toggle(on) {
    this.on = on;
    this.button.setAttribute("aria-pressed", on);
    this.canvas.classList.toggle("pulling", on);
    if (on && this.player.scene) this.player.seek(this.player.begin);
  }

  take(event) {
    const { player } = this;
    if (!(this.on || event.shiftKey) || event.button || !player.stage) return;
    player.seek(player.begin);
    const picked = player.stage.pick(event.offsetX, event.offsetY);
    if (!picked) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    player.stage.controls.enabled = false;
    const body = picked.body;
    this.held = { body: player.scene.bodies[body].name, point: player.stage.onBody(body, picked.point).toArray(), at: picked.point, moved: false };
  }

  move(event) {
    event.stopImmediatePropagation();
    const target = this.player.stage.meet(event.offsetX, event.offsetY, this.held.at);
    if (!target) return;
    this.held.moved = true;
    const { body, point } = this.held;
    this.next = { do: "pull", body, point, target: target.toArray() };
    this.send();
  }

  // One message at a time: while the server is at work, only the last place of the pointer waits.
  async send() {
    if (this.busy) return;
    this.busy = true;
    while (this.next) {
      const message = this.next;
      this.next = null;
      await this.link.send(message);
    }
    this.busy = false;
    if (this.dropped) this.finish();
  }

  drop(event) {
    event.stopImmediatePropagation();
    this.player.stage.controls.enabled = true;
    this.dropped = this.held.moved;
    this.held = null;
    if (this.dropped && !this.busy) this.finish();
  }

  async finish() {
    this.dropped = false;
    await this.link.send({ do: "drop" });
    this.player.stage?.hold(null);
  }

  show({ poses }) {
    this.player.stage?.hold(poses);
  }

  // What cannot be pulled goes back to where it was.
  refuse() {
    this.next = null;
    this.dropped = false;
    this.player.stage?.hold(null);
  }
}
