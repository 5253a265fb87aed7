// overton: moderation with the keyboard. A statement is chosen with j and k or the arrow keys; the keys
// listed on the page press its buttons. They do nothing while someone types or moves within a field. Without
// this script the buttons still work.
"use strict";

(() => {
  const form = document.getElementById("statements"); // not there where the list is empty
  const cards = [...document.querySelectorAll("#statements .statement-card")];
  const fields = "input:not([type=checkbox]), textarea, select, [contenteditable]";
  const undo = document.querySelector("#done [data-key=u]");

  // After a decision the queue moves up, so that the first is next.
  if (undo) cards[0]?.focus({ preventScroll: true });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat && !/^(j|k|Arrow)/.test(event.key)) return;
    if (event.target.closest(fields)) return;
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    const card = cards[at];
    switch (event.key) {
      case "j": case "ArrowDown": choose(at + 1); break;
      case "k": case "ArrowUp": choose(at < 0 ? 0 : at - 1); break;
      case "u": if (!undo) return; undo.click(); break;
      case "a": case "r": {
        const button = card?.querySelector(`[data-key=${event.key}]`);
        if (!button) return;
        button.click();
        break;
      }
      case "x": {
        const box = card?.querySelector("input[type=checkbox]");
        if (!box) return;
        box.checked = !box.checked;
        break;
      }
      default: {
        const reason = card?.querySelector("[data-reason]")?.options[Number(event.key)];
        if (!/^[1-9]$/.test(event.key) || !reason) return;
        reason.selected = true;
      }
    }
    event.preventDefault();
  });

  function choose(at) {
    const card = cards[Math.max(0, Math.min(at, cards.length - 1))];
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }

  // One press is one decision.
  form?.addEventListener("submit", (event) => {
    if (form.getAttribute("aria-busy")) event.preventDefault();
    form.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", (event) => { if (event.persisted) form?.removeAttribute("aria-busy"); });
})();
