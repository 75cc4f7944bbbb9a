// The gallery of heads: what every head reads, and the accuracy with heads turned off. Accuracies
// are looked up, never worked out: the place of a subset is the sum of 2^head over the heads off.

const CELL = 10; // of a small map, in the drawing's units
const DIGITS = 3; // of an accuracy

export function mount(element, payload, style) {
  draw(element, style, new HeadGallery(payload).parts);
}

class HeadGallery {
  constructor({ labels, sentences, accuracy, chance }) {
    Object.assign(this, { labels, sentences, accuracy, chance });
    this.off = 0; // which heads of this.layer are off, one bit each
    this.layer = 0;
    this.heads = accuracy.flatMap((subsets, layer) =>
      Array.from({ length: Math.log2(subsets.length) }, (_, index) => this.head(layer, index)));
    this.chosen = this.heads[0];
    this.chosen.radio.checked = true;
    this.status = node("p", { class: "status", "aria-live": "polite" });
    this.bar = node("span", { class: "bar" });
    this.mapTitle = node("p", { class: "title" });
    this.map = node("div", { class: "map", role: "radiogroup", "aria-label": labels.query });
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.caption = node("caption", { class: "title" });
    this.strips = node("th", { scope: "col", "aria-label": labels.keys });
    const choice = chooser(labels.sentence, sentences.map(({ title }) => title),
      (index) => this.showSentence(index));
    this.parts = [choice, this.gallery(), this.result(), this.panes()];
    this.showSentence(0);
    this.showSwitches();
  }

  // A head has a small map, which chooses it, a switch, and a row of the table.
  head(layer, index) {
    const name = `${layer + 1}.${index + 1}`, said = fill(this.labels.head, { head: name });
    const head = { layer, index, name, after: node("span", { class: "after" }),
      small: svg("svg", { "aria-hidden": "true" }),
      radio: node("input", { type: "radio", name: "head", "aria-label": said }),
      toggle: node("input", { type: "checkbox", role: "switch" }),
      strip: node("td", {}), most: node("td", {}) };
    head.radio.addEventListener("change", () => this.show({ chosen: head }));
    head.toggle.addEventListener("change", () => this.switch(head));
    head.part = node("div", { class: "head" },
      node("label", { class: "small" }, head.radio, head.small),
      node("label", { class: "toggle" }, head.toggle, node("span", {}, name)), head.after);
    head.row = node("tr", {}, node("th", { scope: "row" }, name), head.strip, head.most);
    return head;
  }

  gallery() {
    const { labels } = this;
    const layers = this.accuracy.map((_, layer) => node("fieldset", {},
      node("legend", { class: "name" }, fill(labels.layer, { layer: layer + 1 })),
      node("div", { class: "heads" },
        ...this.heads.filter((head) => head.layer === layer).map(({ part }) => part))));
    return node("div", { class: "gallery", role: "group", "aria-label": labels.heads }, ...layers,
      node("p", { class: "note" }, `${labels.how} ${labels.one_layer}`));
  }

  result() {
    const { labels, chance } = this, whole = this.accuracy[0][0];
    const mark = (kind, value) => node("span", { class: `mark ${kind}`, style: `left: ${100 * value}%` });
    const key = (kind, value) => node("li", { class: "key" },
      node("span", { class: `mark ${kind}` }), fill(labels[kind], { value: number(value, DIGITS) }));
    const button = node("button", { type: "button" }, labels.all_on);
    button.addEventListener("click", () => this.showSwitches({ off: 0 }));
    return node("div", { class: "result" }, this.status,
      node("div", { class: "scale", "aria-hidden": "true" }, this.bar,
        mark("chance", chance), mark("whole", whole)),
      node("div", { class: "under" },
        node("ul", { class: "legend" }, key("chance", chance), key("whole", whole)), button));
  }

  panes() {
    const { labels } = this;
    const column = (name) => node("th", { scope: "col" }, labels[name]);
    const table = node("table", {}, this.caption,
      node("thead", {}, node("tr", {}, column("name"), this.strips, column("most"))),
      node("tbody", {}, ...this.heads.map(({ row }) => row)));
    this.lower = node("div", { class: "panes" },
      node("div", {}, this.mapTitle, this.map, this.summary,
        node("p", { class: "note" }, labels.maps)),
      table);
    return this.lower;
  }

  // ---- What the reader does

  switch({ layer, index }) {
    const off = layer === this.layer ? this.off ^ (1 << index) : 1 << index;
    this.showSwitches({ off, layer });
  }

  // ---- What is shown

  showSwitches({ off = this.off, layer = this.layer } = {}) {
    const again = layer !== this.layer && this.off ? this.layer : null;
    Object.assign(this, { off, layer });
    for (const head of this.heads) {
      const on = !this.isOff(head);
      const subsets = this.accuracy[head.layer];
      const accuracy = number(subsets[(head.layer === layer ? off : 0) ^ (1 << head.index)], DIGITS);
      head.toggle.checked = on;
      head.toggle.setAttribute("aria-label", fill(this.labels.switch, { head: head.name, accuracy }));
      head.after.textContent = `→ ${accuracy}`;
      for (const part of [head.part, head.row]) part.classList.toggle("off", !on);
    }
    this.bar.style.width = `${100 * this.accuracy[layer][off]}%`;
    this.status.replaceChildren(...this.said(again));
    this.show({});
  }

  isOff({ layer, index }) {
    return layer === this.layer && Boolean(this.off & (1 << index));
  }

  said(again) {
    const { labels, layer, off } = this, subsets = this.accuracy[layer];
    const out = this.heads.filter((head) => this.isOff(head)), said = [];
    if (again !== null) said.push(fill(labels.again, { layer: again + 1 }));
    if (!out.length) said.push(labels.none_off);
    else said.push(fill(labels.off, { heads: out.map(({ name }) => name).join(", "),
      change: signed(subsets[off] - subsets[0], DIGITS) }));
    if (out.length > 1) said.push(fill(labels.apart, { sum: signed(
      out.reduce((sum, { index }) => sum + subsets[1 << index] - subsets[0], 0), DIGITS) }));
    return [node("b", {}, number(subsets[off], DIGITS)), ` ${labels.accuracy}. ${said.join(" ")}`];
  }

  showSentence(index) {
    this.sentence = this.sentences[index];
    const { words, weights } = this.sentence;
    const longest = Math.max(...words.map((word) => word.length));
    assign(this.lower, { style: `--keys: ${words.length}; --letters: ${longest}` });
    this.rows = words.map((word, query) => this.row(word, query));
    this.map.replaceChildren(keyNames(words), ...this.rows.map(({ part }) => part));
    this.strips.replaceChildren(keyNames(words));
    for (const head of this.heads) {
      head.weights = weights[head.layer][head.index];
      head.cells = words.map(() => cell());
      head.strip.replaceChildren(node("div", { class: "strip", "aria-hidden": "true" }, ...head.cells));
      drawSmall(head);
    }
    this.show({ query: mostVaried(this.heads, words.length) });
  }

  row(word, query) {
    const radio = node("input", { type: "radio", name: "query" });
    radio.addEventListener("change", () => this.show({ query }));
    const cells = this.sentence.words.map(cell);
    return { radio, cells, part: node("label", { class: "row" }, radio,
      node("span", { class: "word" }, word), ...cells) };
  }

  show({ query = this.query, chosen = this.chosen }) {
    Object.assign(this, { query, chosen });
    const { labels, rows, heads } = this, { words } = this.sentence;
    this.mapTitle.textContent = fill(labels.map, { head: chosen.name });
    this.caption.textContent = fill(labels.reading, { query: words[query] });
    rows.forEach(({ radio, cells }, index) => {
      radio.checked = index === query;
      shade(cells, chosen.weights[index]);
      cells.forEach((one, key) => { one.textContent = chosen.weights[index][key] || ""; });
    });
    for (const head of heads) {
      const weights = head.weights[query], [key] = read(weights);
      shade(head.cells, weights);
      head.small.lastChild.setAttribute("y", query * CELL);
      head.row.classList.toggle("chosen", head === chosen);
      head.most.textContent = this.isOff(head) ? labels.is_off
        : key === undefined ? labels.nothing : `${words[key]} ${share(weights[key])}`;
    }
    const said = this.reading();
    if (this.summary.textContent !== said) this.summary.textContent = said; // else it is read again
  }

  reading() {
    const { labels, heads, query, chosen } = this, { words } = this.sentence;
    const weights = chosen.weights[query], keys = read(weights), [first] = keys;
    const place = { head: chosen.name, query: words[query] };
    if (first === undefined) return fill(labels.reads, { ...place, words: labels.nothing });
    const most = keys.slice(0, 3).map((key) =>
      fill(labels.quoted, { word: words[key], weight: share(weights[key]) })).join(", ");
    const count = heads.filter((head) => read(head.weights[query])[0] === first).length;
    return `${fill(labels.reads, { ...place, words: most })} `
      + fill(labels.agree, { count, all: heads.length, word: words[first] });
  }
}

// ---- Weights and numbers

// The keys that are read, the most read first.
function read(weights) {
  const keys = [...weights.keys()].filter((key) => weights[key]);
  return keys.sort((a, b) => weights[b] - weights[a]);
}

// Start where the heads differ most: at the query for which they read the most different words.
function mostVaried(heads, queries) {
  const varied = Array.from({ length: queries }, (_, query) =>
    new Set(heads.map(({ weights }) => read(weights[query])[0])).size);
  return varied.indexOf(Math.max(...varied));
}

function share(hundredths) {
  return (hundredths / 100).toFixed(2);
}

// ---- Elements

function cell() {
  return node("span", { class: "cell", "aria-hidden": "true" });
}

function shade(cells, weights) {
  cells.forEach((one, key) => one.style.setProperty("--weight", weights[key] / 100));
}

function keyNames(words) {
  return node("div", { class: "keys", "aria-hidden": "true" },
    ...words.map((word) => node("span", {}, word)));
}

function drawSmall({ small, weights }) {
  const size = weights.length * CELL;
  const cells = weights.flatMap((row, query) => read(row).map((key) => svg("rect", {
    x: key * CELL, y: query * CELL, width: CELL, height: CELL, "fill-opacity": row[key] / 100 })));
  const current = svg("rect", { class: "current", width: size, height: CELL });
  assign(small, { viewBox: `0 0 ${size} ${size}` });
  small.replaceChildren(...cells, svg("path", { class: "strike", d: `M0 ${size}L${size} 0` }), current);
}
