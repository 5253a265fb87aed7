// overton: tables that can be sorted and, if they are long, filtered. Each .table[data-sort] gets a button in
// every heading and, above a number of rows, a field to filter rows. Without this script they are plain
// tables. Sorting and filter are kept by the table's label, so that a table replaced by newer numbers keeps
// them.
"use strict";

(() => {
  const longTable = 8; // rows from which on a field to filter by is worth its place
  const states = new Map();
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: "base" });

  document.querySelectorAll(".table[data-sort]").forEach(enhance);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        if (node.matches(".table[data-sort]")) enhance(node);
        node.querySelectorAll(".table[data-sort]").forEach(enhance);
      }
    }
  }).observe(document.getElementById("main"), { childList: true, subtree: true });

  function enhance(region) {
    const table = region.querySelector("table"), body = table?.tBodies[0];
    if (!body || region.dataset.sort === "on") return;
    region.dataset.sort = "on";
    const rows = [...body.rows];
    if (rows.length < 2 || rows.some((row) => row.querySelector("td[colspan]"))) return;
    const name = region.getAttribute("aria-label");
    const state = states.get(name) ?? { column: -1, direction: 1, words: "" };
    states.set(name, state);

    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      if (heading.hasAttribute("data-plain") || !heading.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorts";
      button.append(...heading.childNodes);
      heading.append(button);
      // Numbers are sorted largest first, names from the start of the alphabet; a third
      // press restores the page's own order.
      const first = heading.classList.contains("number") ? -1 : 1;
      button.addEventListener("click", () => {
        if (state.column !== column) Object.assign(state, { column, direction: first });
        else if (state.direction === first) state.direction = -first;
        else state.column = -1;
        sort();
      });
    });

    function sort() {
      headings.forEach((heading, column) => {
        if (column === state.column) heading.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
        else heading.removeAttribute("aria-sort");
      });
      const sorted = state.column < 0 ? rows : rows
        .map((row) => ({ row, value: valueOf(row.cells[state.column]) }))
        .sort((a, b) => (a.value === null) - (b.value === null) || (a.value === null ? 0 : compare(a.value, b.value) * state.direction))
        .map((entry) => entry.row);
      body.append(...sorted);
    }

    function compare(a, b) {
      return typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b));
    }

    if (rows.length >= longTable) filtering();
    if (state.column >= 0) sort();

    function filtering() {
      const line = document.createElement("p"), label = document.createElement("label"), field = document.createElement("input"), told = document.createElement("span");
      line.className = "finds";
      Object.assign(field, { type: "search", value: state.words, autocomplete: "off", spellcheck: false });
      field.setAttribute("aria-label", `Find in ${name}`);
      told.setAttribute("role", "status");
      told.className = "small quiet";
      label.append("Find ", field);
      line.append(label, told);
      region.before(line);
      const texts = rows.map((row) => row.textContent.toLowerCase());
      const show = () => {
        state.words = field.value;
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        rows.forEach((row, i) => {
          row.hidden = !words.every((word) => texts[i].includes(word));
          if (!row.hidden) shown++;
        });
        told.textContent = words.length ? `${shown} of ${rows.length}` : "";
      };
      field.addEventListener("input", show);
      if (state.words) show();
    }
  }

  // valueOf is the value a cell is sorted by: its data-value, its time, its number, or its text; null
  // if there is none.
  function valueOf(cell) {
    if (!cell) return null;
    const time = cell.querySelector("time");
    const text = (cell.dataset.value ?? time?.dateTime ?? cell.textContent).trim();
    if (text === "" || text === "–") return null;
    if (!cell.classList.contains("number") && cell.dataset.value === undefined) return text;
    const number = parseFloat(text.replace("−", "-").replace(/[\s,]/g, ""));
    return Number.isNaN(number) ? text : number;
  }
})();
