/*
 * Draws a heat map of members by partitions into the canvas with the id "heat", from its data-cells:
 * a character a cell, row by row; "." for nothing, 1 to 9 for how much of it, a to i for what was
 * given up. The first row has the partitions without owner. #heat-said tells what is pointed at.
 */
(() => {
  "use strict";

  const GAP = 2; // between the first row and the members

  let drawn = null;
  let at = null; // [row, column]: what is told of

  function shape(canvas) {
    const columns = Number(canvas.dataset.columns);
    const rows = canvas.dataset.cells.length / columns;
    return { columns, rows, width: canvas.width / columns, height: (canvas.height - GAP) / rows };
  }

  function draw(canvas) {
    const { columns, rows, width, height } = shape(canvas);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [owned, free, line] = [colour("--color-primary-600"), colour("--rc-bad"), colour("--rc-line")];
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const cell = canvas.dataset.cells[row * columns + column];
        const [x, y] = [column * width, row * height + (row ? GAP : 0)];
        const level = "123456789".indexOf(cell) + 1 || "abcdefghi".indexOf(cell) + 1;
        pen.globalAlpha = level ? 0.25 + level / 12 : 0.35;
        pen.fillStyle = level ? (row ? owned : free) : line;
        pen.fillRect(x, y, Math.max(1, width - 0.5), Math.max(1, height - 0.5));
        if (cell >= "a" && cell <= "i") hatch(pen, x, y, width, height, style);
      }
    }
    pen.globalAlpha = 1;
    if (at) {
      pen.strokeStyle = colour("--rc-strong");
      pen.lineWidth = 2;
      pen.strokeRect(at[1] * width, at[0] * height + (at[0] ? GAP : 0), width, height);
    }
  }

  function hatch(pen, x, y, width, height, style) {
    pen.globalAlpha = 1;
    pen.strokeStyle = style.getPropertyValue("--rc-ground").trim();
    pen.lineWidth = 1;
    pen.beginPath();
    for (let step = 0; step < width + height; step += 4) {
      pen.moveTo(x + Math.max(0, step - height), y + Math.min(height, step));
      pen.lineTo(x + Math.min(width, step), y + Math.max(0, step - width));
    }
    pen.stroke();
  }

  // -- What is pointed at, in words ---------------------------------------------------------

  function tell(canvas) {
    const { columns } = shape(canvas);
    const [row, column] = at;
    const total = Number(canvas.dataset.partitions);
    const first = Math.ceil((column * total) / columns);
    const last = Math.ceil(((column + 1) * total) / columns) - 1;
    const cell = canvas.dataset.cells[row * columns + column];
    const level = "123456789".indexOf(cell) + 1 || "abcdefghi".indexOf(cell) + 1;
    const much = level ? `about ${Math.round((level / 9) * 100)} %` : "none";
    const who = row ? members(canvas, row - 1) : "without owner";
    const given = cell >= "a" && cell <= "i" ? ", given up for now" : "";
    document.getElementById("heat-said").textContent = `${place(canvas, first)} to ${place(canvas, last)}, ${who}: ${much}${given}.`;
  }

  function members(canvas, row) {
    const names = JSON.parse(canvas.dataset.rows);
    const per = Number(canvas.dataset.members) / names.length;
    const count = Math.ceil((row + 1) * per) - Math.ceil(row * per);
    return count === 1 ? names[row] : `${names[row]} and ${count - 1} that joined next`;
  }

  function place(canvas, number) {
    let start = 0;
    for (const [topic, size] of JSON.parse(canvas.dataset.topics)) {
      if (number < start + size) return `${topic}-${number - start}`;
      start += size;
    }
    return `partition ${number}`;
  }

  function point(canvas, row, column) {
    const { rows, columns } = shape(canvas);
    at = [Math.min(Math.max(row, 0), rows - 1), Math.min(Math.max(column, 0), columns - 1)];
    draw(canvas);
    tell(canvas);
  }

  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  document.addEventListener("mousemove", (event) => {
    const canvas = event.target;
    if (canvas.id !== "heat") return;
    const { width, height } = shape(canvas);
    const scale = canvas.width / canvas.clientWidth;
    point(canvas, Math.floor((event.offsetY * scale - GAP) / height), Math.floor((event.offsetX * scale) / width));
  });

  document.addEventListener("keydown", (event) => {
    const canvas = event.target;
    if (canvas.id !== "heat" || !(event.key in ARROWS)) return;
    event.preventDefault();
    const [down, right] = ARROWS[event.key];
    point(canvas, (at ? at[0] : 0) + down, (at ? at[1] : 0) + right);
  });

  function look() {
    const canvas = document.getElementById("heat");
    if (!canvas || canvas.dataset.cells === drawn) return;
    drawn = canvas.dataset.cells;
    at = null;
    draw(canvas);
  }

  function again() {
    drawn = null;
    look();
  }

  document.addEventListener("rollcall:shown", look);
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["class"] }); // the theme
  look();
})();
