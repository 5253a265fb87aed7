// overton: a page whose numbers stay up to date. The server sends parts of the page again when they change,
// and this puts them in place: focus, folded sections and scroll positions are kept. While nobody looks at
// the page nothing is sent. Without this script, reloading the page does the same.
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
      // Closed permanently: the person was signed out, or the study is gone.
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
    // Sortable tables were changed by their own script, which sets up a new table but not one
    // that is changed in place.
    const change = part.querySelector(".table[data-sort]") ? swap : match;
    change(part, fresh.content.firstElementChild);
  }

  // match makes an element like another, changing only what differs.
  function match(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = fresh.nodeValue;
      return;
    }
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

  // swap replaces an element with another like it, and keeps scroll positions, folded sections and
  // focus, by position among the others.
  function swap(old, fresh) {
    const focusable = (e) => [...e.querySelectorAll("a, button, input, select, [tabindex]")];
    const at = focusable(old).indexOf(document.activeElement);
    const across = [...old.querySelectorAll(".table")].map((table) => table.scrollLeft);
    const folds = [...old.querySelectorAll("details")].map((fold) => fold.open);
    fresh.querySelectorAll("details").forEach((fold, i) => { fold.open = folds[i] ?? fold.open; });
    old.replaceWith(fresh);
    setTimeout(() => { // after the tables' script has done its part
      fresh.querySelectorAll(".table").forEach((table, i) => { table.scrollLeft = across[i] ?? 0; });
      if (at >= 0) focusable(fresh)[at]?.focus({ preventScroll: true });
    });
  }
})();
