"use strict";
// Adds what needs a script to a page that can be read without: folding, stepping, zoom.
const all = (root, selector) => Array.from(root.querySelectorAll(selector));

for (const button of all(document, ".unfold")) {
  const rows = button.closest("tbody").nextElementSibling;
  const fold = (hidden) => { rows.hidden = hidden; button.setAttribute("aria-expanded", String(!hidden)); };
  button.hidden = false;
  button.addEventListener("click", () => fold(!rows.hidden));
  fold(true);
  rows.unfold = () => fold(false);
}

// A link to a folded row opens the fold.
const reveal = (row) => { const body = row && row.closest("tbody"); if (body && body.hidden && body.unfold) body.unfold(); };
const revealTarget = () => { if (location.hash.length > 1) { const row = document.getElementById(decodeURIComponent(location.hash.slice(1))); reveal(row); if (row) row.scrollIntoView({ block: "center" }); } };
addEventListener("hashchange", revealTarget);
revealTarget();

// Units whose class is switched off, or that a search does not find, are not shown.
function filter(overview) {
  const boxes = all(overview, "input[type=checkbox]");
  const search = overview.querySelector("input[type=search]");
  const found = overview.querySelector(".found");
  const rows = all(overview, "tbody tr").map((row) => ({ row, unit: document.getElementById(row.dataset.unit), text: row.textContent.toLowerCase() }));
  const apply = () => {
    const classes = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.class));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, unit, text } of rows) {
      const shown = classes.has(row.dataset.class) && words.every((word) => text.includes(word));
      row.hidden = unit.hidden = !shown;
      count += shown;
    }
    found.textContent = count === rows.length ? "" : `${count} of ${rows.length} shown`;
  };
  for (const box of boxes) { box.hidden = false; box.addEventListener("change", apply); }
  search.closest("li").hidden = false;
  search.addEventListener("input", apply);
}

// Only one reason is open at a time.
document.addEventListener("click", (event) => {
  for (const open of all(document, ".why[open]")) if (!open.contains(event.target)) open.open = false;
});

// Brings a row into the middle of the program.
const center = (code, row) => { code.scrollTop += row.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 2; };

function stepper(unit) {
  const run = unit.querySelector(".run");
  if (!run) return;
  const steps = all(run, ".steps li:not(.cut)");
  const slider = run.querySelector("input[type=range]");
  const [now, watch, list] = [".now", ".watch tbody", ".steps"].map((selector) => run.querySelector(selector));
  let current = -1;
  run.querySelector(".stepper").hidden = false;

  // Values of the variables of the call that step `index` is in.
  const known = (index) => {
    const calls = [];
    for (let i = 0; i <= index; i++) {
      const depth = Number(steps[i].dataset.depth);
      const entered = all(steps[i], ".val");
      const next = steps[i + 1];
      calls.length = Math.min(calls.length, depth + 1);
      calls[depth] ||= new Map();
      // Values at a call are those of the parameters of the function that is entered.
      const callee = next && Number(next.dataset.depth) > depth;
      const target = callee ? (calls[depth + 1] = new Map()) : calls[depth];
      for (const value of entered) target.set(value.querySelector("b").textContent, [value.querySelector("i").textContent, i]);
      if (i === index) return callee ? target : calls[depth];
    }
    return new Map();
  };

  const show = (index, scroll) => {
    const target = Math.max(0, Math.min(steps.length - 1, index));
    if (target === current) return;
    for (const old of all(unit, "tr.now, li.now-step")) old.classList.remove("now", "now-step");
    current = target;
    const step = steps[current];
    step.classList.add("now-step");
    step.setAttribute("aria-current", "step");
    slider.value = String(current);
    now.textContent = `step ${current + 1} of ${steps.length} · ${step.querySelector(".at").textContent} · ${step.querySelector("code").textContent}`;
    watch.replaceChildren(...Array.from(known(current), ([name, [value, when]]) => {
      const row = document.createElement("tr");
      if (when === current) row.className = "new";
      for (const text of [name, value]) row.appendChild(document.createElement("td")).textContent = text;
      return row;
    }));
    // Only now it is known how much room the list has.
    list.scrollTop = step.offsetTop - list.offsetTop - list.clientHeight / 2;
    const row = step.dataset.row && document.getElementById(step.dataset.row);
    if (row) {
      reveal(row);
      row.classList.add("now");
      const code = unit.querySelector(".code");
      if (scroll) center(code, row);
    }
  };
  const nextChange = () => {
    const found = steps.findIndex((step, index) => index > current && step.classList.contains("changed"));
    return found < 0 ? steps.length - 1 : found;
  };
  const moves = { first: () => 0, previous: () => current - 1, next: () => current + 1, change: nextChange, last: () => steps.length - 1 };
  for (const button of all(run, "[data-go]")) button.addEventListener("click", () => show(moves[button.dataset.go](), true));
  slider.addEventListener("input", () => show(Number(slider.value), true));
  steps.forEach((step, index) => step.addEventListener("click", (event) => { event.preventDefault(); show(index, true); }));
  const keys = { ArrowRight: "next", ArrowLeft: "previous", n: "next", p: "previous", c: "change", Home: "first", End: "last" };
  for (const area of [run, unit.querySelector(".code")]) {
    area.addEventListener("keydown", (event) => {
      const move = keys[event.key];
      if (!move || event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(moves[move](), true);
    });
  }
  // From the last changed statement it is not far to the violation.
  const lastChange = steps.findLastIndex((step) => step.classList.contains("changed"));
  show(lastChange < 0 ? 0 : lastChange, true);
}

function zoom(figure) {
  const canvas = figure.querySelector(".canvas");
  const svg = canvas.querySelector("svg");
  const [width, height] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  canvas.classList.add("live");
  figure.querySelector(".tools").hidden = false;
  let view = { x: 0, y: 0, w: width, h: height };
  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const scale = (factor, cx, cy) => {
    const w = Math.min(Math.max(view.w * factor, 60), Math.max(width, height) * 8);
    const h = view.h * (w / view.w);
    view = { x: cx - (cx - view.x) * (w / view.w), y: cy - (cy - view.y) * (h / view.h), w, h };
    apply();
  };
  const middle = () => [view.x + view.w / 2, view.y + view.h / 2];
  const shape = () => { const box = canvas.getBoundingClientRect(); return box.width > 0 ? box : { width: 600, height: 520 }; };
  const fit = () => {
    // A tiny graph is not blown up.
    const box = shape();
    const grow = Math.max(1, Math.min(box.width / 1.3 / width, box.height / 1.3 / height));
    view = { x: width * (1 - grow) / 2, y: height * (1 - grow) / 2, w: width * grow, h: height * grow };
    apply();
  };
  // One unit is one pixel, and a node stands where one looks first.
  const at = (node, down) => {
    const box = shape();
    const place = node ? node.transform.baseVal[0].matrix : { e: width / 2, f: 0 };
    view = { x: place.e - box.width / 2, y: place.f - box.height * down, w: box.width, h: box.height };
    apply();
  };
  const real = () => at(svg.querySelector(".initial"), 0.1);
  const indicators = all(svg, ".nodes > .indicator");
  let shown = -1;
  const indicator = () => { shown = (shown + 1) % indicators.length; at(indicators[shown], 0.7); };
  const actions = { in: () => scale(1 / 1.4, ...middle()), out: () => scale(1.4, ...middle()), fit, real, indicator };
  figure.querySelector("[data-zoom=indicator]").hidden = indicators.length === 0;
  for (const button of all(figure, "[data-zoom]")) button.addEventListener("click", () => actions[button.dataset.zoom]());
  const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  canvas.addEventListener("wheel", (event) => {
    // The page scrolls unless the graph is the thing in use.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    const to = point(event);
    scale(event.deltaY > 0 ? 1.15 : 1 / 1.15, to.x, to.y);
  }, { passive: false });
  let grip = null;
  canvas.addEventListener("pointerdown", (event) => { canvas.focus({ preventScroll: true }); grip = point(event); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const to = point(event);
    view.x += grip.x - to.x;
    view.y += grip.y - to.y;
    apply();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
  const keys = { "+": () => actions.in(), "-": () => actions.out(), "0": fit, i: () => { if (indicators.length) indicator(); }, ArrowLeft: () => { view.x -= view.w / 10; apply(); }, ArrowRight: () => { view.x += view.w / 10; apply(); }, ArrowUp: () => { view.y -= view.h / 10; apply(); }, ArrowDown: () => { view.y += view.h / 10; apply(); } };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  // What is readable as a whole is shown whole, else the first indicator, which is what one looks for.
  if (height <= shape().height * 1.6 && width <= shape().width * 1.6) fit(); else if (indicators.length) indicator(); else real();
}

// Without a counterexample to begin with: the first cause, or else the first changed line.
function begin(unit) {
  const code = unit.querySelector(".code");
  const cell = !unit.querySelector(".run") && (code.querySelector("td.m.cause") || code.querySelector("td.a, td.o"));
  if (!cell) return;
  const row = cell.closest("tr");
  reveal(row);
  if (row.getBoundingClientRect().top > code.getBoundingClientRect().top + code.clientHeight * 0.8) center(code, row);
}

all(document, ".overview").forEach(filter);
// What is far down is made ready when it comes near, so that a page of many units opens at once.
const ready = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    ready.unobserve(target);
    stepper(target);
    begin(target);
    all(target, ".graph").forEach(zoom);
  }
}, { rootMargin: "1000px" });
all(document, ".unit").forEach((unit) => ready.observe(unit));
