/*
 * The timeline under the hand: drag, wheel, two fingers and keys move it and zoom. The drawing is
 * stretched while that goes on; then the server draws the new time (live.js fetches it), and the
 * address has it. A click on a shape tells it below; without this script it leads to its line.
 */
(() => {
  "use strict";

  const SHORTEST_S = 10;
  const LONGEST_S = 31 * 86400;
  const SETTLE_MS = 250;
  const MOVED_PX = 4;
  const ZOOM = 1.25;
  const MINUTE_S = 60;
  const DAY_S = 86400;

  const live = document.getElementById("live");
  if (!live) return;

  let wanted = null; // {since, until} that is not shown yet
  let asked = null; // the same, once the server is asked for it
  let timer = null;
  const pointers = new Map(); // id: x
  let grabbed = null; // {x, since, until}
  let hasMoved = false;
  let said = ""; // of the shape that was clicked

  const section = () => document.getElementById("timeline");
  const plot = () => document.querySelector(".rc-tl-plot");

  function shown() {
    const { since, until } = section().dataset;
    return { since: Number(since), until: Number(until) };
  }

  // -- Moving and zooming -----------------------------------------------------------------

  function want(since, until) {
    const length = Math.min(LONGEST_S, Math.max(SHORTEST_S, until - since));
    const middle = (since + until) / 2;
    const last = Math.min(Date.now() / 1000, middle + length / 2);
    wanted = { since: last - length, until: last };
    stretch();
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
  }

  function present() {
    return wanted || shown();
  }

  function stretch() {
    const now = shown();
    const scale = (now.until - now.since) / (wanted.until - wanted.since);
    const shift = ((now.since - wanted.since) / (wanted.until - wanted.since)) * 100;
    const picture = plot();
    if (picture) picture.style.transform = `translateX(${shift}%) scaleX(${scale})`;
  }

  function move(share) {
    const { since, until } = present();
    const by = share * (until - since);
    want(since + by, until + by);
  }

  // At a place from 0 to 1, which stays where it is.
  function zoom(factor, place = 0.5) {
    const { since, until } = present();
    const at = since + place * (until - since);
    want(at - (at - since) * factor, at + (until - at) * factor);
  }

  function utc(seconds) {
    return new Date(seconds * 1000).toISOString().replace(/(\.000)?Z$/, "");
  }

  function settle() {
    if (grabbed || !wanted) return;
    said = "";
    asked = wanted;
    const query = new URLSearchParams({ tab: "timeline", since: utc(wanted.since), until: utc(wanted.until) });
    if (section().dataset.host) query.set("host", section().dataset.host);
    const path = live.dataset.liveUrl.split("?")[0];
    live.dataset.liveUrl = `${path}?${query}`;
    history.replaceState(null, "", `?${query}`);
    document.dispatchEvent(new Event("rollcall:look"));
  }

  // -- Hands and keys ---------------------------------------------------------------------

  function place(event) {
    const box = plot().getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  }

  function width() {
    return plot().parentElement.getBoundingClientRect().width || 1;
  }

  document.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !(event.target instanceof Element) || !event.target.closest(".rc-tl-plot")) return;
    pointers.set(event.pointerId, event.clientX);
    hasMoved = false;
    grabbed = { spread: spread(), x: centre(), ...present() };
  });

  document.addEventListener("pointermove", (event) => {
    if (!grabbed || !pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, event.clientX);
    const length = grabbed.until - grabbed.since;
    const by = ((grabbed.x - centre()) / width()) * length;
    const factor = grabbed.spread && spread() ? grabbed.spread / spread() : 1;
    if (Math.abs(grabbed.x - centre()) > MOVED_PX || factor !== 1) hasMoved = true;
    if (!hasMoved) return;
    const middle = (grabbed.since + grabbed.until) / 2 + by;
    want(middle - (length * factor) / 2, middle + (length * factor) / 2);
  });

  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, (event) => {
      if (!pointers.delete(event.pointerId)) return;
      grabbed = pointers.size ? { spread: spread(), x: centre(), ...present() } : null;
      if (!grabbed && hasMoved) settle();
    });
  }

  function centre() {
    const all = [...pointers.values()];
    return all.reduce((sum, x) => sum + x, 0) / all.length;
  }

  function spread() {
    const all = [...pointers.values()];
    return all.length < 2 ? 0 : Math.max(...all) - Math.min(...all);
  }

  document.addEventListener(
    "wheel",
    (event) => {
      if (!(event.target instanceof Element) || !event.target.closest(".rc-tl-plot")) return;
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !event.metaKey && !isSideways) return; // the page scrolls
      event.preventDefault();
      if (isSideways && !event.ctrlKey) move(((event.deltaX || event.deltaY) / width()) * 0.5);
      else zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, place(event));
    },
    { passive: false },
  );

  const KEYS = {
    ArrowLeft: () => move(-0.25),
    ArrowRight: () => move(0.25),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
  };

  document.addEventListener("keydown", (event) => {
    if (!(event.target instanceof Element) || event.target.id !== "timeline-chart") return;
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  document.addEventListener("dblclick", (event) => {
    if (event.target instanceof Element && event.target.closest(".rc-tl-plot")) zoom(0.5, place(event));
  });

  // -- What a shape says ------------------------------------------------------------------

  document.addEventListener("click", (event) => {
    const shape = event.target instanceof Element && event.target.closest(".rc-tl-plot [class]");
    if (!shape || !section()) return;
    event.preventDefault();
    const title = shape.querySelector("title");
    if (hasMoved || !title) return;
    said = title.textContent;
    say();
  });

  // A refresh brings the server's text again.
  function say() {
    const line = document.getElementById("timeline-said");
    if (said && line && line.textContent !== said) line.textContent = said;
  }

  // -- Texts of times: the browser's own, as times.js has them ------------------------------

  function localise() {
    if (!section()) return;
    const { since, until } = shown();
    const length = until - since;
    const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    if (length < 10 * MINUTE_S) parts.second = "2-digit";
    if (length > 2 * DAY_S) Object.assign(parts, { month: "short", day: "numeric" });
    if (length > 12 * DAY_S) for (const name of ["hour", "minute", "hourCycle"]) delete parts[name];
    const form = new Intl.DateTimeFormat(undefined, parts);
    for (const tick of document.querySelectorAll("[data-tick]")) {
      tick.textContent = form.format(new Date(Number(tick.dataset.tick) * 1000));
    }
    const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(new Date());
    const name = zone.find((part) => part.type === "timeZoneName");
    for (const word of document.querySelectorAll("[data-tick-zone]")) if (name) word.textContent = name.value;
  }

  document.addEventListener("rollcall:shown", () => {
    // A refresh may come while a hand still moves: then what it wants stays.
    if (wanted === asked) wanted = null;
    const picture = plot();
    if (wanted) stretch();
    else if (picture) picture.style.transform = "";
    say();
    localise();
  });
  document.addEventListener("DOMContentLoaded", localise);
})();
