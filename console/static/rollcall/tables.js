/*
 * Each cell of a table knows the name of its column: on a phone, where rows are cards, it stands
 * beside the value (rooms.css).
 */
(() => {
  "use strict";

  function name() {
    for (const table of document.querySelectorAll(".rc-table")) {
      const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.textContent.trim());
      for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
        if (row.cells.length !== names.length) continue;
        [...row.cells].forEach((cell, n) => names[n] && (cell.dataset.label = names[n]));
      }
    }
  }

  document.addEventListener("DOMContentLoaded", name);
  document.addEventListener("rollcall:shown", name); // what live.js has brought
})();
