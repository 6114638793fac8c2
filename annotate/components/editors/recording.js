// The recording of a sentence: plays the part in which the sentence is heard, and no other part.

import { h } from "./dom.js";
import { caps } from "./keyboard.js";
import { _ } from "./messages.js";

const PLAY = "Shift+P";

/** Return a time as `minutes:seconds`, with tenths. */
function clock(seconds) {
  const tenths = Math.round(10 * seconds);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

export class Player {
  constructor(keyOf) {
    this.keyOf = keyOf; // returns the key that plays it in this browser
    this.audio = h("audio", { preload: "none" });
    this.button = h("button", { type: "button", class: "hint", tabindex: "-1", onclick: () => this.toggle() });
    this.bar = h("progress", { max: "1", value: "0", "aria-hidden": "true" });
    this.said = h("span", { role: "status" });
    this.node = h("div", { class: "recording", dir: "ltr", hidden: true }, this.audio, this.button, this.bar, this.said);
    for (const event of ["play", "pause"]) this.audio.addEventListener(event, () => this.draw());
    this.audio.addEventListener("timeupdate", () => this.follow()); // also in a hidden window
    this.audio.addEventListener("error", () => this.fail());
  }

  /** Set the part of the open sentence, or none; a part that is playing continues. */
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

  /** Return the command of the key, if there is a recording. */
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

  /** Show the position, and stop at the end of the sentence; `on`: at each frame. */
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
