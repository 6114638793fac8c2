// Saving over HTTP, by the protocol of docs/developers/saving.md: one request at a time, each until it is answered.

const PAUSES = [500, 1000, 2000, 4000]; // milliseconds until the next try; the last one holds from then on
const TIMEOUT = 40_000; // milliseconds, more than the server waits for a locked database
const KEEPALIVE = 20_000; // characters: browsers finish small requests of a window that is closed

/** Whether a later try may succeed: no answer, no session, a proxy or a database that is away. */
const isTemporary = (status) => status === 0 || status === 401 || status === 429 || status >= 500;

/** Send a revision, and tell `answered` the status, 0 where there is no answer, with what the server says. */
export function put({ item, client, seq, ...revision }, answered) {
  const body = JSON.stringify(revision);
  const url = new URL(`items/${item}/revisions/${client}/${seq}`, document.baseURI);
  const headers = { "Content-Type": "application/json" };
  fetch(url, { method: "PUT", headers, body, keepalive: body.length < KEEPALIVE, signal: AbortSignal.timeout(TIMEOUT) })
    .then(async (response) => ({ status: response.status, ...(await response.json().catch(() => ({}))) }))
    .catch(() => ({ status: 0 }))
    .then(answered);
}

/** Sends revisions: `next()` is the one to send, or null; `answered(revision, answer, final)` hears of each try. */
export class Saver {
  constructor(next, answered, send) {
    this.next = next;
    this.answered = answered;
    this.send = send;
    this.failures = 0;
    this.isBusy = false;
    this.pause = null;
  }

  /** Send what there is, unless something is on its way or a pause is not over. */
  run() {
    const revision = this.isBusy || this.pause ? null : this.next();
    if (!revision) return;
    this.isBusy = true;
    this.send(revision, (answer) => {
      this.isBusy = false;
      if (this.isClosed) return;
      const isFinal = !isTemporary(answer.status);
      this.failures = isFinal ? 0 : this.failures + 1;
      if (!isFinal) this.pause = setTimeout(() => this.retry(), PAUSES[Math.min(this.failures, PAUSES.length) - 1]);
      this.answered(revision, answer, isFinal);
      this.run();
    });
  }

  /** Send at once what waits for the end of a pause. */
  retry() {
    clearTimeout(this.pause);
    this.pause = null;
    this.run();
  }

  close() {
    clearTimeout(this.pause);
    this.isClosed = true;
    this.next = () => null;
  }
}
