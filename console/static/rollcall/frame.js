/*
 * unfold's frame has no landmarks: what stands beside the sidebar is the main one.
 */
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("main")?.setAttribute("role", "main");
});

/*
 * Paper is white: what is printed has the light theme.
 */
(() => {
  "use strict";

  let wasDark = false;

  window.addEventListener("beforeprint", () => {
    wasDark = document.documentElement.classList.contains("dark");
    document.documentElement.classList.remove("dark");
  });

  window.addEventListener("afterprint", () => {
    document.documentElement.classList.toggle("dark", wasDark);
  });
})();

/*
 * The second click of a double click on a button does not send its form again. After some seconds,
 * or when the browser shows the page again (Back), the form can be sent.
 */
(() => {
  "use strict";

  const AGAIN_AFTER_MS = 5000;
  const sent = new WeakMap();

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.getAttribute("method")?.toLowerCase() !== "post" || event.defaultPrevented) return;
    if (event.timeStamp - (sent.get(form) ?? -Infinity) < AGAIN_AFTER_MS) event.preventDefault();
    else sent.set(form, event.timeStamp);
  });

  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) sent.delete(form);
  });
})();
