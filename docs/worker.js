// Pages that are opened from the disk may start no worker. Here the search runs in a hidden frame of the page instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => later(data, (event) => this.onmessage?.(event));
      const script = inside.document.createElement("script");
      script.src = new URL(url, location).href;
      this.ready = new Promise((resolve) => (script.onload = resolve));
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() => later(data, (event) => this.frame.contentWindow?.onmessage(event)));
    }

    terminate() {
      this.frame.remove();
    }
  };

  // As between a page and a worker: a copy, and not at once.
  const later = (data, take) => {
    const event = new MessageEvent("message", { data: structuredClone(data) });
    setTimeout(() => take(event));
  };
}
