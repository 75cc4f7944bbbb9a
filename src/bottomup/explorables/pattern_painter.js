// The pattern painter: which keys each query reads, what two layers reach, how many scores it takes.
// The sets are written down once, below; everything else is counted from them.

const LARGEST = 64;
const CELL = 1.75, TALL = 14; // of a query's positions, in rem: the largest cell, the height at most
const MOVES = { ArrowUp: -1, ArrowDown: 1, Home: -LARGEST, End: LARGEST };

// How a cell of each kind is drawn from its corner, the later kinds on top: grounds, then what is read.
const WHOLE = "h1v1h-1z";
const SHAPES = {
  reached: WHOLE,
  ahead: WHOLE,
  blank: WHOLE,
  first: "m.12 .12h.76v.76h-.76z",
  second: "m.08 .5a.42.42 0 1 0 .84 0a.42.42 0 1 0-.84 0z",
  both: "m.12 .12h.76v.76h-.76zm.16 .38a.22.22 0 1 0 .44 0a.22.22 0 1 0-.44 0z",
  future: "m.2 .2l.6 .6m0-.6l-.6 .6",
  own: WHOLE,
};

// Whether query i reads key j. As printed in the paper, a window is one position longer and the other
// sets lack j <= i.
const WINDOW = ({ l, printed }) => (i, j) => j <= i && i - j < l + Number(printed);
const SETS = {
  dense: () => [(i, j) => j <= i],
  window: (at) => [WINDOW(at)],
  strided: (at) => [WINDOW(at), (i, j) => (at.printed || j <= i) && (i - j) % at.l === 0],
  fixed: ({ l, c, printed }) => [
    (i, j) => (printed || j <= i) && Math.floor(j / l) === Math.floor(i / l),
    (i, j) => (printed || j <= i) && j % l >= l - c],
};

export function mount(element, payload, style) {
  draw(element, style, new PatternPainter(payload).parts);
}

class PatternPainter {
  constructor({ labels, sizes, patterns, start }) {
    this.labels = labels;
    this.wish = { ...start, printed: false, flipped: false, residual: false, folded: true };
    const numbers = Array.from({ length: LARGEST }, (_, index) => String(index + 1));
    this.stride = slider(labels.stride, numbers, (place) => this.show({ stride: place + 1 }));
    this.summaries = slider(labels.summary, numbers, (place) => this.show({ summary: place + 1 }));
    this.order = radios("order", labels.order, [[labels.first, () => this.show({ flipped: false })],
      [labels.second, () => this.show({ flipped: true })]]);
    this.grid = picture({ "aria-hidden": "true" });
    this.strip = picture({ role: "img" });
    this.rows = node("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": labels.choose });
    this.tag = node("span", { class: "tag", "aria-hidden": "true" });
    this.last = node("span", {});
    this.title = node("p", { class: "title" });
    this.legend = node("ul", { class: "legend" });
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.count = node("p", { class: "count", "aria-live": "polite" });
    this.leak = node("p", { class: "leak", "aria-live": "polite" });
    this.cost = new CostMeter(labels);
    this.parts = [this.controls(sizes, patterns, start), this.leak, node("div", { class: "panes" },
      this.board(), node("div", {}, this.reaching(), this.cost.part))];
    this.listen();
    this.show({});
  }

  // ---- The parts

  controls(sizes, patterns, start) {
    const { labels } = this;
    const size = radios("size", labels.size, sizes.map((n) => [String(n), () => this.show({ n })]));
    const pattern = radios("pattern", labels.pattern,
      patterns.map((name) => [labels.patterns[name], () => this.show({ pattern: name })]));
    size.querySelectorAll("input")[sizes.indexOf(start.n)].checked = true;
    pattern.querySelectorAll("input")[patterns.indexOf(start.pattern)].checked = true;
    return node("div", { class: "controls" }, size, pattern, this.stride.part, this.summaries.part,
      checkbox(labels.printed, (printed) => this.show({ printed })));
  }

  board() {
    const { labels } = this;
    return node("div", {}, node("p", { class: "title" }, labels.grid),
      node("p", { class: "ticks", "aria-hidden": "true" }, node("span", {}, `${labels.key} 0`), this.last),
      node("div", { class: "board" }, this.grid.part, this.rows, this.tag), this.legend,
      node("p", { class: "note" }, labels.how));
  }

  reaching() {
    const { labels } = this;
    const form = radios("form", labels.drawn, [[labels.folded, () => this.show({ folded: true })],
      [labels.line, () => this.show({ folded: false })]]);
    return node("div", {}, node("div", { class: "head" }, this.title,
      button("↑", labels.above, () => this.goTo(this.at.query - 1)), button("↓", labels.below, () => this.goTo(this.at.query + 1))),
    node("div", { class: "positions" }, this.strip.part), this.summary, this.count,
    node("div", { class: "controls" }, this.order,
      checkbox(labels.residual, (residual) => this.show({ residual })), form));
  }

  // ---- What the reader does

  listen() {
    const { rows } = this;
    const choose = ({ clientY }) => {
      const { top, height } = rows.getBoundingClientRect();
      this.goTo(Math.floor((this.at.n * (clientY - top)) / height));
    };
    rows.addEventListener("click", choose);
    rows.addEventListener("pointermove", (event) => { // a finger scrolls the page instead
      if (event.buttons === 1 && event.pointerType === "mouse") choose(event);
    });
    rows.addEventListener("keydown", (event) => {
      if (!(event.key in MOVES) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault(); // the page must not scroll
      event.stopPropagation(); // nor JupyterLab move to the next cell
      this.goTo(this.at.query + MOVES[event.key]);
    });
  }

  goTo(query) {
    this.show({ query: within(query, 0, this.at.n - 1) });
  }

  // ---- What is shown

  show(change) {
    const at = this.at = worked(Object.assign(this.wish, change)), { labels } = this;
    this.showControls(at);
    this.showBoard(at);
    this.showPositions(at);
    this.showLegend(at);
    this.cost.show(at);
    setText(this.title, fill(labels.query, { query: at.query }));
    setText(this.summary, this.saidOfQuery(at));
    setText(this.count, fill(labels.count, { reached: at.past, all: at.dense }));
    setText(this.leak, at.printed ? fill(labels.as_printed[at.pattern], { count: at.leaks, reached: at.ahead }) : "");
  }

  showControls({ n, l, c, pattern }) {
    this.stride.input.max = n - 1;
    this.summaries.input.max = l - 1;
    this.stride.set(l - 1);
    this.summaries.set(c - 1);
    this.stride.input.disabled = pattern === "dense";
    this.summaries.input.disabled = pattern !== "fixed";
    this.order.disabled = this.labels.sets[pattern].length === 1;
  }

  showBoard(at) {
    const { grid, rows, labels } = this, { n, query } = at;
    grid.paint(marks(at, [...at.kinds.keys()], (i, j) => [j, i]));
    assign(grid.part, { viewBox: `0 0 ${n} ${n}` });
    if (rows.children.length !== n) rows.replaceChildren(...Array.from({ length: n }, (_, index) =>
      node("div", { role: "option", id: `row${index}`, style: `height: ${100 / n}%` })));
    [...rows.children].forEach((row, index) => assign(row, { "aria-selected": index === query,
      "aria-label": fill(labels.row, { query: index, keys: spans(at.kinds[index]) || labels.nothing }) }));
    rows.setAttribute("aria-activedescendant", `row${query}`);
    this.tag.style.top = `${(100 * (query + 0.5)) / n}%`;
    this.tag.textContent = query;
    this.last.textContent = n - 1;
  }

  showPositions(at) {
    const { n, l, query } = at, width = at.folded ? l : n, high = Math.ceil(n / width);
    const place = (_, j) => [j % width, Math.floor(j / width)];
    this.strip.paint({ ...marks(at, [query], place), own: spot("own", place(query, query)) });
    assign(this.strip.part, { viewBox: `-0.1 -0.1 ${width + 0.2} ${high + 0.2}`,
      style: `width: min(100%, ${CELL * width}rem, ${(TALL * width) / high}rem)`,
      "aria-label": fill(this.labels.strip, { query, width }) });
  }

  showLegend({ pattern, leaks }) {
    const { legend, sets } = this.labels, [first, second] = sets[pattern];
    const shown = { first, ...(second && { second, both: legend.both }), reached: legend.reached,
      blank: legend.blank, ...(leaks && { future: legend.future, ahead: legend.ahead }) };
    this.legend.replaceChildren(...Object.entries(shown).map(([kind, text]) =>
      node("li", { class: "key" }, sample(kind), text)));
  }

  saidOfQuery({ kinds, reach, query }) {
    const { labels } = this, all = query + 1, keys = kinds[query], hops = reach[query].slice(0, all);
    const past = keys.slice(0, all), future = keys.map((kind, j) => kind && j > query);
    const missed = spans(hops.map((hop) => !hop));
    const said = [fill(labels.one, { query, all, count: total(past), keys: spans(past) || labels.nothing })];
    if (total(future)) said.push(fill(labels.one_future, { keys: spans(future) }));
    said.push(fill(missed ? labels.two : labels.two_all,
      { all, missed, count: total(hops), keys: spans(hops) || labels.nothing }));
    return said.join(" ");
  }
}

// The scores as a bar within that of the dense pattern, and as bars for every l.
class CostMeter {
  constructor(labels) {
    this.labels = labels;
    this.pieces = ["first", "both", "second"].map((kind) => node("span", { class: kind }));
    this.ratio = node("p", { class: "ratio", "aria-live": "polite" });
    this.sum = node("p", { class: "note" });
    this.bars = { others: svg("path", {}), now: svg("path", { class: "now" }), best: svg("path", { class: "best" }) };
    this.chart = svg("svg", { class: "chart", role: "img", preserveAspectRatio: "none" }, ...Object.values(this.bars));
    this.best = node("p", { class: "note" });
    this.byStride = node("div", { class: "strides" }, node("p", { class: "title" }, labels.by_stride), this.chart, this.best);
    this.part = node("div", { class: "cost" }, node("p", { class: "name" }, labels.cost),
      node("div", { class: "bar" }, ...this.pieces), this.ratio, this.sum, this.byStride);
  }

  show(at) {
    const { labels } = this, { counts: { first, second, both }, needed, dense } = at;
    [first, both, second].forEach((count, index) => { this.pieces[index].style.width = `${(100 * count) / dense}%`; });
    setText(this.ratio, fill(labels.ratio, { needed, dense, share: number((100 * needed) / dense, 0),
      ratio: number(dense / needed, 2) }));
    setText(this.sum, labels.sets[at.pattern].length === 1 ? ""
      : fill(labels.sum, { first: first + both, second: second + both, both, needed }));
    this.byStride.hidden = at.pattern === "dense";
    this.showStrides(at, Array.from({ length: at.n }, (_, index) => cost({ ...at, l: index + 1 })));
  }

  showStrides({ n, l, needed, dense, pattern }, costs) {
    const { labels, bars } = this, fewest = Math.min(...costs), best = costs.indexOf(fewest) + 1;
    const bar = (count, index) => (count < Infinity ? `M${index + 0.1} ${dense}v${-count}h.8v${count}z` : "");
    const alone = pattern === "window"; // which needs fewest where a position reads itself alone
    bars.others.setAttribute("d", costs.map(bar).join(""));
    bars.now.setAttribute("d", bar(costs[l - 1], l - 1));
    bars.best.setAttribute("d", alone ? "" : bar(fewest, best - 1));
    assign(this.chart, { viewBox: `0 0 ${n} ${dense}`, "aria-label": fill(labels.chart, { n }) });
    setText(this.best, fill(alone ? labels.no_best : best === l ? labels.best_now : labels.best,
      { best, fewest, stride: l, needed }));
  }
}

// ---- Patterns

// Everything that is shown, counted from the sets. An l above n and a c above l are cut.
function worked(wish) {
  const { n } = wish, l = Math.min(wish.stride, n), c = Math.min(wish.summary, l);
  const at = { ...wish, l, c, query: Math.min(wish.query, n - 1) };
  const sets = SETS[at.pattern](at).map((reads) => square(n, reads));
  const layers = [sets[0], sets.at(-1)].map((set) => square(n, (i, j) => set[i][j] || (at.residual && i === j)));
  const reach = product(...(at.flipped ? layers.reverse() : layers));
  const kinds = square(n, (i, j) => kindOf(i, j, sets)), counts = { "": 0, first: 0, both: 0, second: 0, future: 0 };
  for (const kind of kinds.flat()) counts[kind] += 1;
  const past = total(square(n, (i, j) => j <= i && reach[i][j]).flat());
  return { ...at, kinds, reach, counts, past, dense: (n * (n + 1)) / 2, leaks: counts.future,
    ahead: total(reach.flat()) - past, needed: counts.first + counts.both + counts.second };
}

function kindOf(i, j, [first, second]) {
  const one = first[i][j], two = second?.[i][j];
  if (one || two) return j > i ? "future" : one && two ? "both" : one ? "first" : "second";
  return "";
}

// Scores of the union with another l; infinitely many where a block cannot have c summaries.
function cost({ n, pattern, l, c, printed }) {
  if (pattern === "fixed" && c > l) return Infinity;
  const [first, second = first] = SETS[pattern]({ l, c, printed });
  let needed = 0;
  for (let i = 0; i < n; i += 1) for (let j = 0; j <= i; j += 1) needed += first(i, j) || second(i, j);
  return needed;
}

// After both layers, i holds something of j if the second reads an m whose row in the first holds j.
function product(first, second) {
  return square(first.length, (i, j) => second[i].some((reads, m) => reads && first[m][j]));
}

function square(n, value) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => value(i, j)));
}

function total(values) {
  return values.filter(Boolean).length;
}

// The places where something holds, as "0–2, 5".
function spans(values) {
  const runs = [];
  values.forEach((value, place) => {
    if (value && values[place - 1]) runs.at(-1)[1] = place;
    else if (value) runs.push([place]);
  });
  return runs.map((run) => run.join("–")).join(", ");
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text; // else it is read again
}

// ---- Elements

// Cells of a unit's length, one path for each kind.
function picture(attributes) {
  const paths = Object.keys(SHAPES).map((kind) => [kind, svg("path", { class: kind })]);
  const paint = (found) => paths.forEach(([kind, path]) => path.setAttribute("d", found[kind] ?? ""));
  return { paint, part: svg("svg", attributes, ...paths.map(([, path]) => path)) };
}

function marks({ n, kinds, reach }, queries, place) {
  const found = {};
  const add = (kind, at) => { if (kind) found[kind] = (found[kind] ?? "") + spot(kind, at); };
  for (const i of queries) for (let j = 0; j < n; j += 1) {
    add(j <= i && "blank", place(i, j));
    add(reach[i][j] && (j > i ? "ahead" : "reached"), place(i, j));
    add(kinds[i][j], place(i, j));
  }
  return found;
}

function spot(kind, at) {
  return `M${at}${SHAPES[kind]}`;
}

function sample(kind) {
  return svg("svg", { viewBox: "-0.1 -0.1 1.2 1.2", width: 18, height: 18, "aria-hidden": "true" },
    svg("path", { class: kind, d: spot(kind, [0, 0]) }));
}

function button(text, label, press) {
  const made = node("button", { type: "button", "aria-label": label }, text);
  made.addEventListener("click", press);
  return made;
}

function checkbox(text, choose) {
  const input = node("input", { type: "checkbox" });
  input.addEventListener("change", () => choose(input.checked));
  return node("label", { class: "check" }, input, text);
}
