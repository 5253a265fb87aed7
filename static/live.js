// overton: a page whose numbers stay fresh. The server sends parts of the page
// anew when they change, and this puts them in place: what is focused, folded
// open or scrolled stays so. While nobody looks at the page nothing is sent.
// Without this script, loading the page again does the same.
"use strict";

(() => {
  const live = document.querySelector("[data-live]");
  if (!live || !("EventSource" in window)) return;
  const silence = 40_000; // without a sign of life the line counts as lost
  let source = null, watchdog = 0;

  open();
  document.addEventListener("visibilitychange", () => { document.hidden ? close() : open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) open(); });

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(live.dataset.live);
    source.addEventListener("open", alive);
    source.addEventListener("beat", alive);
    source.addEventListener("parts", (event) => {
      alive();
      for (const [id, html] of Object.entries(JSON.parse(event.data))) put(id, html);
    });
    source.addEventListener("error", () => {
      // Closed for good: signed out meanwhile, or the study is gone.
      say(source?.readyState === EventSource.CLOSED ? "ended" : "lost");
    });
  }

  function close() {
    clearTimeout(watchdog);
    source?.close();
    source = null;
  }

  function alive() {
    say("on");
    clearTimeout(watchdog);
    watchdog = setTimeout(() => { say("lost"); close(); open(); }, silence);
  }

  function say(state) {
    if (live.dataset.state === state) return;
    live.dataset.state = state;
    live.textContent = live.dataset[state];
  }

  function put(id, html) {
    const part = document.getElementById(id);
    if (!part) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    match(part, fresh.content.firstElementChild);
  }

  // match makes an element like another, changing only what differs.
  function match(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = fresh.nodeValue;
      return;
    }
    // Another script has changed these; it does so again to what is put in.
    if (old.matches(".table[data-sort]")) return swap(old, fresh);
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const before = [...old.childNodes], after = [...fresh.childNodes];
    after.forEach((node, i) => { before[i] ? match(before[i], node) : old.append(node); });
    before.slice(after.length).forEach((node) => node.remove());
  }

  function swap(old, fresh) {
    const across = old.scrollLeft, within = old.contains(document.activeElement);
    old.replaceWith(fresh);
    fresh.scrollLeft = across;
    if (within) fresh.focus({ preventScroll: true });
  }
})();
