// Search without a server: a page that is opened as a file may start no worker, so an invisible frame does its work.
// The frame gets the worker's script; messages go between both as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.document.open();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      const script = inside.document.createElement("script");
      this.ready = new Promise((resolve) => { script.onload = resolve; });
      script.src = new URL(url, location.href);
      inside.document.write("<!doctype html><title>search</title><body></body>");
      inside.document.close();
      inside.document.body.appendChild(script);
      this.inside = inside;
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
