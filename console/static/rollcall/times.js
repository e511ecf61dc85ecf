/*
 * Times as the clock on the wall shows them: what the server writes in UTC becomes the browser's own
 * time, with its zone; the text of the server stays where there is no script.
 */
(() => {
  "use strict";

  const zone = { timeZoneName: "short" };
  const parts = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", ...zone };
  const short = new Intl.DateTimeFormat(undefined, parts);
  const long = new Intl.DateTimeFormat(undefined, { year: "numeric", ...parts });

  function localise() {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const isThisYear = at.getFullYear() === new Date().getFullYear();
      const text = (isThisYear ? short : long).format(at);
      if (time.textContent !== text) time.textContent = text;
      time.title = time.dateTime;
    }
  }

  document.addEventListener("rollcall:shown", localise);
  document.addEventListener("DOMContentLoaded", localise);
})();
