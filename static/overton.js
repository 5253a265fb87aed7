// overton: what a script adds to pages that work without one. It keeps drafts, sends answers again when the
// network fails, records time and changes, and copies the completion code. No key moves a person to another
// page.
//
// The oldest browsers that run it are Chrome 80, Firefox 74 and Safari 13.1, the
// first with "?." and "??". Older ones cannot read the file and have the page
// without it. So use nothing younger without a way around it: there is no
// AbortSignal.timeout in Safari 15, Chrome 102 and Firefox 99, no
// event.submitter in Safari 15.3, no :has in Firefox 120. Also missing in some
// of them: Array.at, Object.hasOwn, structuredClone, replaceChildren.
"use strict";

(() => {
  const form = document.querySelector("form[data-step]");
  const words = form ? form.dataset : {};

  document.querySelectorAll("[data-copy]").forEach(copyButton);
  document.getElementById("problems")?.focus();
  if (!form) return;

  warnBeforePlaceEnds(document.querySelector("[data-warn-after]"));
  const time = activeTime(Number(form.elements.active.value) || 0);
  const fill = () => { form.elements.active.value = Math.round(time()); };
  keepTrail(form);
  const drafts = keepDrafts(form, fill);
  sendSafely(form, fill, drafts);

  // copyButton shows a button that works only with a script.
  function copyButton(button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = document.getElementById(button.dataset.copy);
      const status = document.getElementById(button.getAttribute("aria-describedby"));
      try {
        await navigator.clipboard.writeText(code.textContent.trim());
        status.textContent = button.dataset.done;
      } catch {
        getSelection().selectAllChildren(code);
        status.textContent = button.dataset.failed;
      }
    });
  }

  // warnBeforePlaceEnds shows a notice after the number of seconds given by the server, so that the
  // clock and time zone of this device do not matter.
  function warnBeforePlaceEnds(notice) {
    if (notice) setTimeout(() => { notice.hidden = false; }, Number(notice.dataset.warnAfter) * 1000);
  }

  // activeTime counts milliseconds in which the page is visible and the person did something in the
  // last half minute.
  function activeTime(before) {
    const idle = 30_000;
    let total = before, from = performance.now(), last = from;
    const settle = () => {
      const now = performance.now();
      if (from !== null) total += Math.max(0, Math.min(now, last + idle) - from);
      from = document.visibilityState === "visible" ? now : null;
      return now;
    };
    const act = () => { last = settle(); };
    for (const event of ["keydown", "pointerdown", "pointermove", "scroll", "input"]) {
      addEventListener(event, act, { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", act);
    return () => { settle(); return total; };
  }

  // keepTrail records every choice of a radio button, not only the last.
  function keepTrail(form) {
    const start = performance.now(), trail = form.elements.trail;
    form.addEventListener("change", (event) => {
      if (event.target.type !== "radio" || trail.value.length > 2000) return;
      const entry = `${event.target.name}=${event.target.value}@${Math.round(performance.now() - start)}`;
      trail.value = trail.value ? `${trail.value} ${entry}` : entry;
    });
  }

  function body(form, button) {
    const data = new URLSearchParams();
    for (const [name, value] of new FormData(form)) data.append(name, value);
    if (button?.name) data.append(button.name, button.value);
    return data;
  }

  function say(text) {
    const line = form.querySelector(".kept");
    if (line.textContent !== text) line.textContent = text;
  }

  // keepDrafts saves what is typed, shortly afterwards and when the page is left; while that fails it
  // tries again and says so.
  function keepDrafts(form, fill) {
    let timer = 0, dirty = false, stopped = false;
    const post = (keepalive) => {
      fill();
      return fetch(words.draft, { method: "POST", body: body(form), keepalive, redirect: "error" });
    };
    const save = async () => {
      if (stopped || !dirty) return;
      dirty = false;
      try {
        const answer = await post(false);
        if (stopped) return;
        if (answer.ok) return say(dirty ? "" : words.saved);
        if (answer.status < 500) return say(""); // refused: sending the form will say why
        throw new Error(answer.statusText);
      } catch {
        if (stopped) return;
        dirty = true;
        say(words.unsaved);
        later(3000);
      }
    };
    const later = (ms) => { clearTimeout(timer); timer = setTimeout(save, ms); };
    form.addEventListener("input", () => { dirty = true; say(""); later(800); });
    addEventListener("online", () => later(0));
    addEventListener("pagehide", () => { if (dirty && !stopped) post(true).catch(() => {}); });
    return {
      stop() { stopped = true; clearTimeout(timer); },
      resume() { stopped = false; },
    };
  }

  // sendSafely sends the form once however often it is pressed, and retries while the network is down.
  // What it does not understand, and whatever fails in this script, it leaves to the browser, which
  // posts the form and shows the answer.
  function sendSafely(form, fill, drafts) {
    let sending = false, pressed = null;
    form.addEventListener("click", (event) => { pressed = event.target.closest("button"); });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (sending) return;
      sending = true;
      const button = event.submitter ?? pressed;
      try {
        form.setAttribute("aria-busy", "true");
        drafts.stop();
        fill();
        const next = await delivered(body(form, button));
        if (next) return location.assign(next);
      } catch (fault) {
        console.error(fault);
      }
      if (button?.name) {
        const chosen = document.createElement("input");
        Object.assign(chosen, { type: "hidden", name: button.name, value: button.value });
        chosen.dataset.chosen = "";
        form.append(chosen);
      }
      form.submit();
    });
    // After the browser's Back, the page must be usable again.
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      sending = false;
      form.removeAttribute("aria-busy");
      form.querySelectorAll("input[data-chosen]").forEach((input) => input.remove());
      drafts.resume();
    });
  }

  // delivered sends what the form holds until an answer comes. It returns the
  // page to go to; nothing if the answer does not name one.
  async function delivered(data) {
    for (let wait = 1000; ; wait = Math.min(wait * 1.5, 8000)) {
      const answer = await attempt(data);
      if (answer?.headers.has("Overton-Location") || answer?.status < 502) return answer.headers.get("Overton-Location");
      say(words.unsent);
      await new Promise((resolve) => {
        setTimeout(resolve, wait);
        addEventListener("online", resolve, { once: true });
      });
    }
  }

  // attempt sends once and waits 20 seconds. It returns null if no answer came;
  // only what fetch itself reports counts as that.
  async function attempt(data) {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), 20_000);
    const sent = fetch(form.action, {
      method: "POST", body: data, redirect: "manual", headers: { "Overton-Script": "1" }, signal: limit.signal,
    });
    const answer = await sent.catch(() => null);
    clearTimeout(timer);
    return answer;
  }
})();
