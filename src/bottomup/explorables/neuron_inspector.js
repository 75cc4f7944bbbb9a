// The neuron inspector: what triggers each neuron of an MLP, whose activation that is, and what the
// neuron's value vector writes. All numbers were worked out beforehand.

const HALF = 0.5; // of a neuron's activation
const MOVES = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8 };

export function mount(element, payload, style) {
  draw(element, style, new NeuronInspector(payload).parts);
}

class NeuronInspector {
  constructor({ labels, names, facts, attributes, even, neurons, strongest, promoters }) {
    Object.assign(this, { labels, names, facts, attributes, neurons });
    this.order = [...neurons.keys()];
    this.bars = neurons.map(({ purity }) => node("span", { style: `--share: ${purity}` }));
    this.row = this.barRow();
    this.triggers = node("tbody", {});
    this.shares = node("tbody", {});
    this.effects = node("tbody", {});
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.finders = [this.finder(labels.promoter, attributes, promoters),
      this.finder(labels.strongest, names, strongest)];
    const order = radios("order", labels.order, [
      [labels.by_purity, () => this.sort(true)], [labels.by_number, () => this.sort(false)]]);
    this.parts = [node("div", { class: "controls" }, order, ...this.finders),
      this.chart(even), this.summary, this.panes()];
    this.sort(true);
    this.show(this.order[0]);
  }

  finder(label, texts, neurons) {
    const part = chooser(label, [this.labels.pick, ...texts], (place) => {
      if (!place) return;
      this.show(neurons[place - 1]);
      part.lastChild.selectedIndex = place;
    });
    return part;
  }

  barRow() {
    const row = node("div", { class: "bars", role: "slider", tabindex: 0,
      "aria-label": this.labels.choose, "aria-valuemin": 1, "aria-valuemax": this.bars.length });
    row.addEventListener("keydown", (event) => this.press(event));
    const touch = (event) => {
      if (event.type === "pointermove" && !event.buttons) return; // a mouse that passes by
      const { left, width } = row.getBoundingClientRect();
      this.step(Math.floor((this.order.length * (event.clientX - left)) / width));
    };
    row.addEventListener("pointerdown", touch);
    row.addEventListener("pointermove", touch);
    return row;
  }

  chart(even) {
    const { labels, neurons } = this;
    const ticks = [1, HALF, 0].map((share) => node("span", {}, String(share)));
    const line = node("span", { class: "even", style: `bottom: ${100 * even}%`, "aria-hidden": "true" });
    const count = neurons.filter(({ purity }) => purity < HALF).length;
    return node("div", {}, node("p", { class: "title" }, labels.row),
      node("div", { class: "chart" },
        node("div", { class: "ticks", "aria-hidden": "true" }, ...ticks), this.row, line),
      node("ul", { class: "legend" },
        node("li", { class: "key" }, node("span", { class: "even" }),
          fill(labels.even, { value: number(even, 2) })),
        node("li", {}, `${fill(labels.mixed, { count, all: neurons.length })}.`)));
  }

  panes() {
    const { labels } = this;
    const column = (name) => node("th", { scope: "col" }, labels[name]);
    const table = (title, names, body) => node("table", {},
      node("caption", { class: "title" }, labels[title]),
      node("thead", {}, node("tr", {}, ...names.map(column))), body);
    return node("div", {}, node("div", { class: "panes" },
      table("triggers", ["name", "attribute", "activation"], this.triggers),
      table("belongs", ["attribute", "share"], this.shares),
      table("effects", ["attribute", "logit"], this.effects)),
    node("p", { class: "note" }, star(), ` ${labels.favourite}`));
  }

  // ---- What the reader does

  press(event) {
    const last = this.order.length - 1, here = this.order.indexOf(this.neuron);
    const place = { Home: 0, End: last }[event.key] ?? here + MOVES[event.key];
    if (Number.isNaN(place) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // the page must not scroll
    event.stopPropagation(); // nor JupyterLab move to the next cell
    this.step(place);
  }

  step(place) {
    const neuron = this.order[within(place, 0, this.order.length - 1)];
    if (neuron !== this.neuron) this.show(neuron);
  }

  sort(byPurity) {
    this.order = [...this.neurons.keys()];
    if (byPurity) this.order.sort((a, b) => this.neurons[b].purity - this.neurons[a].purity);
    this.row.replaceChildren(...this.order.map((neuron) => this.bars[neuron]));
    if (this.neuron !== undefined) this.showPlace();
  }

  // ---- What is shown

  show(neuron) {
    this.neuron = neuron;
    this.bars.forEach((bar, index) => bar.classList.toggle("current", index === neuron));
    for (const finder of this.finders) finder.lastChild.selectedIndex = 0;
    const shown = this.neurons[neuron];
    this.showPlace();
    this.showTriggers(shown);
    this.showShares(shown);
    this.showEffects(shown);
    this.summary.textContent = this.said(shown);
  }

  showPlace() {
    const { row, order, neuron, neurons, labels } = this;
    const purity = number(neurons[neuron].purity, 2);
    assign(row, { "aria-valuenow": order.indexOf(neuron) + 1,
      "aria-valuetext": fill(labels.said, { neuron: neuron + 1, purity }) });
  }

  showTriggers({ triggers, shares }) {
    const { names, facts } = this;
    this.triggers.replaceChildren(...triggers.map(([name, activation]) => node("tr", {},
      node("th", { scope: "row" }, names[name]), this.word("td", facts[name], shares),
      measure(activation, triggers[0][1], number, facts[name] === shares[0][0]))));
  }

  showShares({ shares, attributes }) {
    const rest = attributes - shares.length;
    const left = 1 - shares.reduce((sum, [, share]) => sum + share, 0);
    const rows = shares.map(([attribute, share]) => node("tr", {},
      this.word("th", attribute, shares), measure(share, 1, number, attribute === shares[0][0])));
    if (rest > 0) rows.push(node("tr", {}, node("th", { scope: "row" },
      fill(this.labels.rest, { count: rest })), measure(left, 1, number)));
    this.shares.replaceChildren(...rows);
  }

  showEffects({ promotes, demotes, shares }) {
    const effects = [...promotes, ...[...demotes].reverse()];
    const largest = Math.max(...effects.map(([, effect]) => Math.abs(effect)));
    this.effects.replaceChildren(...effects.map(([attribute, effect]) => node("tr", {},
      this.word("th", attribute, shares), measure(effect, largest, signed, attribute === shares[0]?.[0]))));
  }

  // An attribute, with a star where it has the largest share of the neuron's activation.
  word(tag, attribute, shares) {
    const stars = attribute === shares[0]?.[0] ? [star()] : [];
    return node(tag, tag === "th" ? { scope: "row" } : {}, this.attributes[attribute], ...stars);
  }

  said({ active, half, promotes, shares }) {
    const { labels, names, attributes } = this;
    const place = { neuron: this.neuron + 1, active, all: names.length };
    if (!active) return fill(labels.silent, place);
    const [favourite, share] = shares[0], first = promotes[0]?.[0];
    const which = first === undefined ? labels.nothing : first === favourite ? labels.same : labels.differs;
    return [fill(labels.often, place),
      fill(labels.pure, { attribute: attributes[favourite], share: number(share, 2), half, all: attributes.length }),
      fill(which, { attribute: attributes[first] })].join(" ");
  }
}

// ---- Elements

function star() {
  return node("span", { class: "star", "aria-hidden": "true" }, " ★");
}

// A number over its bar, which is strong for the first attribute and striped below zero.
function measure(value, most, write, strong = false) {
  const share = most ? within(Math.abs(value) / most, 0, 1) : 0;
  const kinds = ["measure", ...(strong ? ["strong"] : []), ...(value < 0 ? ["negative"] : [])];
  return node("td", { class: kinds.join(" "), style: `--share: ${share}` }, write(value, 2));
}
