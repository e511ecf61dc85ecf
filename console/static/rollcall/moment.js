/*
 * The slider of a group's page as it was: while it moves, the field beside it has its moment; where
 * it is let go, the page of that moment is asked for.
 */
(() => {
  "use strict";

  const isSlider = (event) => event.target instanceof Element && event.target.matches("[data-moment]");

  document.addEventListener("input", (event) => {
    if (!isSlider(event)) return;
    const at = new Date(Number(event.target.value) * 1000);
    event.target.form.elements.at.value = at.toISOString().slice(0, 19); // in UTC, as it says
  });

  document.addEventListener("change", (event) => {
    if (isSlider(event)) event.target.form.requestSubmit();
  });
})();
