/*
 * A button with data-copy="ID" copies the text of the element with that id.
 */
(() => {
  "use strict";

  async function copied(element) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      // Without TLS or without focus a page may not write there. What is selected can be copied.
      document.getSelection().selectAllChildren(element);
      return document.execCommand("copy");
    }
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const isCopied = await copied(document.getElementById(button.dataset.copy));
      button.textContent = isCopied ? "Copied" : "Selected: copy it with Ctrl+C";
    });
  }
})();
