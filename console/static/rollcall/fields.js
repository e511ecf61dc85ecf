/*
 * Of fields that are needed for one choice each, only that of the present choice is shown:
 * [data-when="VALUE"], for the select with [data-chooses]. Without scripts all of them are.
 */
(() => {
  "use strict";

  document.addEventListener("DOMContentLoaded", () => {
    const select = document.querySelector("[data-chooses] select");
    if (!select) return;
    const show = () => {
      for (const field of document.querySelectorAll("[data-when]")) {
        field.hidden = field.dataset.when !== select.value;
      }
    };
    select.addEventListener("change", show);
    show();
  });
})();
