/*
 * Keeps one part of a page up to date: the element with the id "live".
 *
 *   data-live-url       where to fetch it again; the answer is its inner HTML, or a whole page that
 *                       has such an element itself. Empty: this page.
 *   data-live-group     whose websocket says when that is worth while. Missing: nobody's, only time.
 *   data-live-revision  what is shown; here, or on any element inside.
 *
 * What has not changed is not sent again (ETag). Where nothing was heard of the server for ten
 * seconds, [data-live-lost] says how old that is what one sees.
 *
 * [data-live-pause] is a button that stops all this, and begins it again. Nothing changes either
 * while one selects text, writes in a field, or has chosen rows of a list.
 *
 * "rollcall:look", an event of the document, asks for a look at once.
 *
 * Inside it, [data-live-pending] asks for a look each second, [data-age-ms] grows while one
 * watches, and [data-live-state], anywhere on the page, says "live", "polling", "paused" or "not
 * updated". The socket carries no data: what a person may see is judged by the server at each fetch.
 */
(() => {
  "use strict";

  const live = document.getElementById("live");
  if (!live) return;

  const EVERY_MS = 5000;
  const PENDING_EVERY_MS = 1000;
  const RECONNECT_MS = 1000;
  const RECONNECT_MS_MAX = 30000;
  const LOOK = "look";
  const LOST_AFTER_MS = 10000;
  const FETCH_MS_MAX = 15000;
  const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" }; // as times.js has it
  const UNAVAILABLE = 4503; // the socket's code where a page would get 503
  const NO_DATABASE = "The server has no connection to the database at the moment.";
  // What the operator would ask next (docs/architecture.md, "PostgreSQL is away for ten seconds").
  const MEANWHILE = {
    [NO_DATABASE]: "Workers keep their partitions and go on meanwhile; nobody is removed, and commits wait for the database.",
    "": "Workers do not depend on this server: they go on meanwhile.",
  };
  const REFUSED = [4400, 4401, 4403, 4404]; // asking again would not help

  const group = live.dataset.liveGroup;
  const url = () => live.dataset.liveUrl || window.location.href; // the timeline changes it
  let shown = live.dataset.liveRevision || "";
  let shownAt = performance.now();
  let heardAt = performance.now(); // of the server, with something to show or nothing new
  let heardWhen = new Date();
  let refusal = ""; // what the server says instead
  let tag = null;
  let lookedAt = performance.now();
  let isFetching = false;
  let wanted = null; // what came in while fetching: LOOK, or a revision
  let isConnected = false;
  let isPaused = false;
  let wait = RECONNECT_MS;

  function isLost() {
    return !isPaused && performance.now() - heardAt >= LOST_AFTER_MS;
  }

  // A socket that is open means nothing while what one sees is old.
  function state() {
    if (isPaused) return "paused";
    if (isLost()) return "not updated";
    return isConnected ? "live" : "polling";
  }

  function say() {
    const now = state();
    for (const word of document.querySelectorAll("[data-live-state]")) {
      if (word.textContent !== now) word.dataset.liveState = word.textContent = now;
    }
    for (const button of document.querySelectorAll("[data-live-pause]")) {
      button.textContent = isPaused ? "Continue updates" : "Pause updates";
      button.setAttribute("aria-pressed", isPaused);
    }
  }

  function pause() {
    isPaused = !isPaused;
    say();
    warn();
    if (!isPaused) look();
  }

  // -- Fetching, one at a time ------------------------------------------------------------

  async function look(why = LOOK) {
    if (isPaused) return;
    if (isFetching) {
      wanted = wanted === LOOK ? LOOK : why;
      return;
    }
    isFetching = true;
    lookedAt = performance.now();
    try {
      const headers = { "X-Requested-With": "live", ...(tag && { "If-None-Match": tag }) };
      await heard(await fetch(url(), { headers, signal: AbortSignal.timeout(FETCH_MS_MAX) }));
    } catch {
      // The server is away. The next turn asks again.
    } finally {
      isFetching = false;
    }
    const next = wanted;
    wanted = null;
    if (next !== null && next !== shown) look(next);
  }

  async function heard(answer) {
    // A redirect leads to the login page; what is shown stays, and the next click asks.
    const isNews = answer.ok && !answer.redirected;
    refusal = isNews || answer.status === 304 ? "" : refused(answer);
    if (refusal) return;
    heardAt = performance.now();
    heardWhen = new Date();
    if (!isNews) return;
    const text = await answer.text();
    if (show(text)) tag = answer.headers.get("ETag");
  }

  function refused(answer) {
    if (answer.redirected || answer.status === 403) return "You are logged out, or may not see this any more: reload the page.";
    if (answer.status === 404) return "This is no longer there: reload the page.";
    if (answer.status === 503) return NO_DATABASE;
    return `The server answers with an error (${answer.status}); its log says why.`;
  }

  function warn() {
    const lostMs = performance.now() - heardAt;
    say();
    for (const banner of document.querySelectorAll("[data-live-lost]")) {
      banner.hidden = !isLost();
      if (banner.hidden) continue;
      const why = refusal || `No contact with the server for ${words(lostMs)}.`;
      const seen = `What you see is as of ${heardWhen.toLocaleTimeString(undefined, CLOCK)}.`;
      banner.textContent = [why, seen, MEANWHILE[refusal]].filter(Boolean).join(" ");
    }
  }

  function isInUse() {
    const selection = document.getSelection();
    const selected = selection && !selection.isCollapsed && live.contains(selection.anchorNode);
    return selected || live.querySelector("input.action-select:checked") || (live.contains(document.activeElement) && document.activeElement.matches("input, select, textarea"));
  }

  function show(text) {
    if (isPaused || isInUse()) return false;
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById("live") || page.body;
    const marked = fresh.matches("[data-live-revision]") ? fresh : fresh.querySelector("[data-live-revision]");
    if (marked) shown = marked.dataset.liveRevision;
    // Only what differs is changed: what has the focus keeps it, and nothing moves under the mouse.
    const callbacks = { beforeAttributeUpdated: (name, node) => name !== "data-label" && !(name === "open" && node.matches("details")) };
    Idiomorph.morph(live, fresh.innerHTML, { morphStyle: "innerHTML", callbacks });
    shownAt = performance.now();
    say();
    document.dispatchEvent(new Event("rollcall:shown"));
    return true;
  }

  // -- The websocket ----------------------------------------------------------------------

  function connect() {
    const scheme = window.location.protocol === "https:" ? "wss" : "ws";
    const path = `/ws/groups/?group_id=${encodeURIComponent(group)}`;
    const socket = new WebSocket(`${scheme}://${window.location.host}${path}`);
    socket.onmessage = (event) => {
      if (!isConnected) {
        isConnected = true;
        wait = RECONNECT_MS;
        say();
      }
      const news = JSON.parse(event.data);
      // Lower ones count too: a group that was deleted and made again begins at 1.
      const why = news.look ? LOOK : String(news.revision);
      if (why !== shown) look(why);
    };
    socket.onclose = (event) => {
      isConnected = false;
      say();
      if (REFUSED.includes(event.code)) return;
      if (event.code === UNAVAILABLE) refusal = NO_DATABASE;
      setTimeout(connect, wait * (0.5 + Math.random() / 2)); // not everybody at once
      wait = Math.min(2 * wait, RECONNECT_MS_MAX);
    };
  }

  // -- Time -------------------------------------------------------------------------------

  function tick() {
    if (document.hidden) return;
    warn();
    const now = performance.now();
    const every = live.querySelector("[data-live-pending]") ? PENDING_EVERY_MS : EVERY_MS;
    if (now - lookedAt >= every) look();
    if (isPaused) return;
    for (const age of live.querySelectorAll("[data-age-ms]")) {
      age.textContent = words(Number(age.dataset.ageMs) + now - shownAt) + (age.dataset.ageAfter || "");
    }
  }

  function words(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 60) return `${s} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
    return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  }

  document.addEventListener("rollcall:look", () => look());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });
  for (const button of document.querySelectorAll("[data-live-pause]")) button.addEventListener("click", pause);
  setInterval(tick, 1000);
  say();
  if (group !== undefined) connect(); // a group's id may be empty
})();
