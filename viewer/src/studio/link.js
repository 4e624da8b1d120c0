// The way to the server: messages as JSON, each with a number that comes back when it has been worked on.
export class Link {
  constructor(take, state) {
    this.take = take;
    this.state = state;
    this.number = 0;
    this.waiting = new Map();
    this.busy = document.getElementById("busy");
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/talk${location.search}`);
    this.socket.addEventListener("open", () => this.state(true));
    this.socket.addEventListener("message", (event) => {
      const answer = JSON.parse(event.data);
      if (answer.kind !== "done") return this.take(answer);
      this.waiting.get(answer.id)?.();
      this.waiting.delete(answer.id);
      this.busy.hidden = !this.waiting.size;
    });
    this.socket.addEventListener("close", () => {
      for (const done of this.waiting.values()) done();
      this.waiting.clear();
      this.busy.hidden = true;
      this.state(false);
      setTimeout(() => this.connect(), 1000);
    });
  }

  // Resolves when the server has worked on the message.
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve();
    const id = `${this.tab ||= Math.random().toString(36).slice(2)} ${++this.number}`;
    this.socket.send(JSON.stringify({ ...message, id }));
    this.busy.hidden = false;
    return new Promise((done) => this.waiting.set(id, done));
  }

  // Whether an answer belongs to a message of this tab.
  mine(answer) {
    return String(answer.id || "").startsWith(`${this.tab} `);
  }
}
