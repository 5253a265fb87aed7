// overton: what a script adds to the pages that set up a study: numbers and
// texts that follow what you type, files dropped on their field, blocks dragged
// to another place. Every page works without it.
"use strict";

(() => {
  document.querySelectorAll("form[data-live]").forEach(live);
  document.querySelectorAll("[data-drop]").forEach(drop);
  document.querySelectorAll("form[data-reorder]").forEach(reorder);

  // live asks the server for what is shown next to the fields, shortly after something was typed. A
  // late answer gives way to a newer one.
  function live(form) {
    let timer = 0, asked = 0;
    const ask = async () => {
      const mine = ++asked;
      const data = new URLSearchParams();
      for (const [name, value] of new FormData(form)) data.append(name, value);
      try {
        const answer = await fetch(form.dataset.live, { method: "POST", body: data, redirect: "error" });
        const html = await answer.text();
        const target = document.getElementById(form.dataset.into);
        if (!answer.ok || mine !== asked || !target) return;
        const open = [...target.querySelectorAll("details")].map((d) => d.open);
        target.outerHTML = html;
        document.getElementById(form.dataset.into).querySelectorAll("details").forEach((d, i) => { d.open = open[i] ?? false; });
      } catch { /* no network: what is shown stays */ }
    };
    form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 300); });
  }

  // drop accepts files dropped anywhere on a field.
  function drop(field) {
    const input = field.querySelector("input[type=file]");
    const over = (on) => field.classList.toggle("dropping", on);
    field.addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
    field.addEventListener("dragleave", () => over(false));
    field.addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      if (event.dataTransfer.files.length > 0) input.files = event.dataTransfer.files;
    });
  }

  // reorder lets blocks be dragged; on a drop the form is sent, as by its buttons.
  function reorder(form) {
    let from = null;
    const items = [...form.querySelectorAll("[data-block]")];
    for (const item of items) {
      item.draggable = true;
      item.addEventListener("dragstart", (event) => {
        from = item;
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", item.dataset.block);
      });
      item.addEventListener("dragover", (event) => {
        if (!from || from === item) return;
        event.preventDefault();
        item.classList.add("dropping");
      });
      item.addEventListener("dragleave", () => item.classList.remove("dropping"));
      item.addEventListener("dragend", () => { from = null; });
      item.addEventListener("drop", (event) => {
        event.preventDefault();
        if (!from || from === item) return;
        send({ do: `move:${from.dataset.block}`, to: item.dataset.block });
      });
    }
    function send(values) {
      for (const [name, value] of Object.entries(values)) {
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
      }
      form.submit();
    }
  }
})();
