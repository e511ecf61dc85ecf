/*
 * A button with data-copy="ID" copies the text of the element with that id.
 */
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
})();
