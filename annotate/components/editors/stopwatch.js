// Measures the active time on an item.

/** Counts the seconds of work: gaps longer than `idle` and hidden tabs do not count. */
export class Stopwatch {
  constructor() {
    this.seconds = 0;
    this.idle = 120;
    this.last = performance.now();
  }
  tick() {
    const now = performance.now();
    const gap = (now - this.last) / 1000;
    if (gap <= this.idle) this.seconds += gap;
    this.last = now;
  }
  pause() {
    if (document.hidden) this.tick();
    else this.last = performance.now();
  }
}
