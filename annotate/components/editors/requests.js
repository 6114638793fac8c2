// What a session asks of Streamlit's page: to be drawn again, with the same item or another one.

const REPEAT = 2500; // milliseconds without an answer

/** Requests by triggers, which get lost: the newest is repeated until the page is drawn with its `turn`. */
export class Requests {
  constructor(client, trigger) {
    this.client = client;
    this.trigger = trigger;
    this.asked = null;
    this.turns = 0;
  }

  ask(request) {
    this.turns += 1;
    this.asked = { ...request, turn: `${this.client} ${this.turns}` };
    this.repeat();
  }

  repeat() {
    this.trigger(this.asked);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.repeat(), REPEAT);
  }

  /** The request that a page with this turn answers, or null. */
  take(turn) {
    const { asked } = this;
    if (asked?.turn !== turn) return null;
    this.close();
    return asked;
  }

  close() {
    clearTimeout(this.waiting);
    this.asked = null;
  }
}
