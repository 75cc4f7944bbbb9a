// The attention of every layer and head of a translator: three kinds of maps, one map in large, and
// as bars what one query reads. Weights are whole hundredths [layer][head][query][key].

const CELL = 10; // of a small map, in the drawing's units
const SIDES = { encoder: ["source", "source"], decoder: ["target", "target"], cross: ["target", "source"] };

export function mount(element, payload, style) {
  draw(element, style, new LayerAttention(payload).parts);
}

class LayerAttention {
  constructor({ labels, end, sentences }) {
    Object.assign(this, { labels, end, sentences, kind: "encoder" });
    this.layers = sentences[0].encoder.map((heads, layer) =>
      heads.map((weights, index) => this.head(layer, index)));
    this.heads = this.layers.flat();
    this.chosen = this.heads[0];
    this.chosen.radio.checked = true;
    this.note = node("p", { class: "note" });
    this.mapTitle = node("p", { class: "title" });
    this.map = node("div", { class: "map", role: "radiogroup", "aria-label": labels.query });
    this.caption = node("caption", { class: "title" });
    this.bars = node("tbody", {});
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.parts = [this.controls(), this.gallery(), this.panes(), this.summary];
    this.showSentence(0);
  }

  // ---- The parts

  controls() {
    const { labels, sentences } = this;
    return node("div", { class: "top" },
      chooser(labels.sentence, sentences.map(({ title }) => title), (index) => this.showSentence(index)),
      radios("kind", labels.kind,
        Object.entries(labels.kinds).map(([kind, text]) => [text, () => this.showKind(kind)])),
      this.note);
  }

  head(layer, index) {
    const name = `${layer + 1}.${index + 1}`;
    const radio = node("input", { type: "radio", name: "head", "aria-label": fill(this.labels.head, { head: name }) });
    const small = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    const head = { layer, index, name, radio, small,
      part: node("label", { class: "small" }, radio, small, node("span", { "aria-hidden": "true" }, name)) };
    radio.addEventListener("change", () => this.show({ chosen: head }));
    return head;
  }

  gallery() {
    const { labels } = this;
    return node("div", { class: "gallery", role: "group", "aria-label": labels.heads },
      ...this.layers.map((heads, layer) => node("fieldset", {},
        node("legend", { class: "name" }, fill(labels.layer, { layer: layer + 1 })),
        node("div", { class: "heads" }, ...heads.map(({ part }) => part)))));
  }

  panes() {
    const { labels } = this;
    const column = (name) => node("th", { scope: "col" }, labels[name]);
    this.lower = node("div", { class: "panes" },
      node("div", {}, this.mapTitle, this.map),
      node("table", {}, this.caption,
        node("thead", {}, node("tr", {}, column("key"), column("weight"))), this.bars));
    return this.lower;
  }

  // ---- What is shown

  showSentence(index) {
    this.sentence = this.sentences[index];
    this.query = null; // the queries are other words
    this.showKind(this.kind);
  }

  // Maps, rows and bars are made anew: another kind has other words on its sides.
  showKind(kind) {
    const { labels, sentence, heads } = this;
    const [queries, keys] = SIDES[kind].map((side) => sentence[side]);
    const kept = SIDES[kind][0] === SIDES[this.kind][0] ? this.query : null; // the same queries
    Object.assign(this, { kind, queries, keys });
    for (const head of heads) {
      head.weights = sentence[kind][head.layer][head.index];
      this.drawSmall(head);
    }
    this.note.textContent = labels.notes[kind];
    const longest = Math.max(...queries.map((word) => word.length));
    assign(this.lower, { style: `--keys: ${keys.length}; --letters: ${longest}` });
    this.rows = queries.map((word, query) => this.row(word, query));
    this.map.replaceChildren(
      node("div", { class: "keys", "aria-hidden": "true" }, ...keys.map((word) => node("span", {}, word))),
      ...this.rows.map(({ part }) => part));
    this.measures = keys.map(() => node("td", {}));
    this.bars.replaceChildren(...keys.map((word, key) =>
      node("tr", {}, node("th", { scope: "row" }, word), this.measures[key])));
    this.show({ query: kept ?? mostVaried(heads, queries.length) });
  }

  row(word, query) {
    const radio = node("input", { type: "radio", name: "query" });
    radio.addEventListener("change", () => this.show({ query }));
    const cells = this.keys.map((_, key) =>
      node("span", { class: this.isHidden(query, key) ? "cell hidden" : "cell", "aria-hidden": "true" }));
    return { radio, cells, part: node("label", { class: "row" }, radio,
      node("span", { class: "word" }, word), ...cells) };
  }

  // The decoder's mask: nothing above the diagonal is read.
  isHidden(query, key) {
    return this.kind === "decoder" && key > query;
  }

  drawSmall({ small, weights }) {
    const width = this.keys.length * CELL, height = this.queries.length * CELL;
    const cells = weights.flatMap((row, query) => row.flatMap((weight, key) => {
      const place = { x: key * CELL, y: query * CELL, width: CELL, height: CELL };
      if (this.isHidden(query, key)) return svg("rect", { ...place, class: "hidden" });
      return weight ? svg("rect", { ...place, class: "weight", "fill-opacity": weight / 100 }) : [];
    }));
    assign(small, { viewBox: `0 0 ${width} ${height}` });
    small.replaceChildren(...cells, svg("rect", { class: "current", width, height: CELL }));
  }

  show({ query = this.query, chosen = this.chosen }) {
    Object.assign(this, { query, chosen });
    const { labels, queries } = this, place = { head: chosen.name, query: queries[query] };
    this.mapTitle.textContent = fill(labels.map, place);
    this.caption.textContent = fill(labels.bars, place);
    this.rows.forEach(({ radio, cells }, index) => {
      radio.checked = index === query;
      cells.forEach((cell, key) => {
        const weight = chosen.weights[index][key];
        cell.style.setProperty("--weight", weight / 100);
        cell.textContent = weight || "";
      });
    });
    for (const { small } of this.heads) small.lastChild.setAttribute("y", query * CELL);
    this.measures.forEach((bar, key) => {
      const hidden = this.isHidden(query, key), weight = chosen.weights[query][key];
      assign(bar, { class: hidden ? "bar hidden" : "bar", style: `--weight: ${weight / 100}` });
      bar.textContent = hidden ? labels.hidden : share(weight);
    });
    const said = this.reading(place);
    if (this.summary.textContent !== said) this.summary.textContent = said; // else it is read again
  }

  reading(place) {
    const { labels, heads, keys, query, kind, chosen } = this;
    const weights = chosen.weights[query], read = ranked(weights), [first] = read, said = [];
    const most = read.slice(0, 3).map((key) =>
      fill(labels.quoted, { word: keys[key], weight: share(weights[key]) })).join(", ");
    said.push(fill(labels.reads, { ...place, words: most || labels.nothing }));
    if (first !== undefined) {
      const count = heads.filter((head) => ranked(head.weights[query])[0] === first).length;
      said.push(fill(labels.agree, { count, all: heads.length, word: keys[first] }));
    }
    if (kind !== "encoder") said.push(fill(labels.next, { word: this.queries[query + 1] ?? this.end }));
    return said.join(" ");
  }
}

// ---- Weights

// The keys that are read, the most read first.
function ranked(weights) {
  return [...weights.keys()].filter((key) => weights[key]).sort((a, b) => weights[b] - weights[a]);
}

// Start at the query for which the heads read the most different words.
function mostVaried(heads, queries) {
  const varied = Array.from({ length: queries }, (_, query) =>
    new Set(heads.map(({ weights }) => ranked(weights[query])[0])).size);
  return varied.indexOf(Math.max(...varied));
}

function share(hundredths) {
  return (hundredths / 100).toFixed(2);
}
