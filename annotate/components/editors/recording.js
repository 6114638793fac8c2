// The recording of a sentence: the stretch in which it is heard is played, and nothing else of the recording.

import { h } from "./dom.js";
import { caps } from "./keyboard.js";
import { _ } from "./messages.js";

const PLAY = "Shift+P";

/** A time as `minutes:seconds`, with tenths. */
function clock(seconds) {
  const tenths = Math.round(10 * seconds);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

export class Player {
  constructor(keyOf) {
    this.keyOf = keyOf; // by which key it is played in this browser
    this.audio = h("audio", { preload: "none" });
    this.button = h("button", { type: "button", class: "hint", tabindex: "-1", onclick: () => this.toggle() });
    this.bar = h("progress", { max: "1", value: "0", "aria-hidden": "true" });
    this.said = h("span", { role: "status" });
    this.node = h("div", { class: "recording", dir: "ltr", hidden: true }, this.audio, this.button, this.bar, this.said);
    for (const event of ["play", "pause"]) this.audio.addEventListener(event, () => this.draw());
    this.audio.addEventListener("timeupdate", () => this.follow()); // also in a window that nobody sees
    this.audio.addEventListener("error", () => this.fail());
  }

  /** Take the stretch of the sentence that is open, or none; one that plays already plays on. */
  take(recording) {
    const before = this.recording;
    this.recording = recording ?? null;
    this.node.hidden = !recording;
    if (!recording) return this.stop();
    const { url, begin, end } = recording;
    if (url === before?.url && begin === before.begin && end === before.end) return;
    this.stop();
    this.said.textContent = "";
    this.bar.value = 0;
    this.node.dataset.begin = begin;
    this.node.dataset.end = end ?? "";
    this.audio.src = new URL(`${url}#t=${begin}${end === null ? "" : `,${end}`}`, document.baseURI);
  }

  /** What the key does, where something can be heard. */
  commands() {
    return this.recording ? [{ key: PLAY, label: _("play, stop"), rare: true, run: () => this.toggle() }] : [];
  }

  toggle() {
    if (!this.audio.paused) return this.stop();
    this.audio.currentTime = this.recording.begin;
    this.said.textContent = "";
    this.audio.play().then(() => this.follow(true), (error) => error.name === "AbortError" || this.fail());
  }

  stop() {
    this.audio.pause();
  }

  /** Show how far it is, and stop where the sentence ends; `on`: at every frame that is drawn. */
  follow(on = false) {
    if (this.audio.paused || !this.recording) return;
    const { begin, end } = this.recording;
    const last = end ?? this.audio.duration;
    this.bar.value = Math.min(1, Math.max(0, (this.audio.currentTime - begin) / (last - begin))) || 0;
    if (end !== null && this.audio.currentTime >= end) this.stop();
    else if (on) requestAnimationFrame(() => this.follow(true));
  }

  fail() {
    if (this.recording) this.said.textContent = _("this browser cannot play {name}", { name: this.recording.name });
  }

  draw() {
    if (!this.recording) return;
    const { begin, end, name } = this.recording;
    const until = end === null ? "" : `–${clock(end)}`;
    const sign = this.audio.paused ? "▶" : "■";
    this.node.dataset.playing = !this.audio.paused;
    this.button.title = name;
    this.button.setAttribute("aria-label", this.audio.paused ? _("play the recording") : _("stop the recording"));
    this.button.replaceChildren(...caps(this.keyOf(PLAY)), ` ${sign} ${clock(begin)}${until}`);
  }
}
