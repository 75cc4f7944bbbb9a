// The neuron inspector: what triggers each neuron of an MLP, whose activation that is, and what the
// neuron's value vector writes. All numbers were worked out beforehand.

import { chooser, radios } from "../shared/controls.js";
import { assign, drawn, legend, legendKey, live, node } from "../shared/elements.js";
import { onKeys, onPress, placeIn } from "../shared/events.js";
import { sum, within } from "../shared/numbers.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill, number, signed } from "../shared/words.js";

const HALF = 0.5; // of a neuron's activation
const MOVES = {
  ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8,
  Home: -Infinity, End: Infinity,
};

class NeuronInspector {
  constructor({ labels, names, facts, attributes, even, neurons, strongest, promoters }) {
    Object.assign(this, { labels, names, facts, attributes, neurons });
    this.order = [...neurons.keys()];
    this.bars = neurons.map(({ purity }) => node("span", { style: `--share: ${purity}` }));
    this.row = this.barRow();
    this.triggers = node("tbody", {});
    this.shares = node("tbody", {});
    this.effects = node("tbody", {});
    this.summary = live("summary ruled");
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
    onKeys(row, MOVES, (by) => this.step(this.order.indexOf(this.neuron) + by));
    onPress(row, (event) => this.step(Math.floor(placeIn(row, event, this.order.length)[0])));
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
      legend(legendKey(node("span", { class: "even" }), fill(labels.even, { value: number(even, 2) })),
        node("li", {}, `${fill(labels.mixed, { count, all: neurons.length })}.`)));
  }

  panes() {
    const { labels } = this;
    const named = (title, columns, body) => table({}, labels[title], columns.map((name) => labels[name]), body);
    return node("div", {}, node("div", { class: "panes" },
      named("triggers", ["name", "attribute", "activation"], this.triggers),
      named("belongs", ["attribute", "share"], this.shares),
      named("effects", ["attribute", "logit"], this.effects)),
    node("p", { class: "note" }, star(), ` ${labels.favourite}`));
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

  show(neuron) {
    this.neuron = neuron;
    this.bars.forEach((bar, index) => bar.classList.toggle("current", index === neuron));
    for (const finder of this.finders) finder.lastChild.selectedIndex = 0;
    const shown = this.neurons[neuron];
    this.showPlace();
    this.showTriggers(shown);
    this.showShares(shown);
    this.showEffects(shown);
    this.summary.textContent = said(this.labels, this.names, this.attributes, neuron, shown);
  }

  showPlace() {
    const { row, order, neuron, neurons, labels } = this;
    const purity = number(neurons[neuron].purity, 2);
    assign(row, { "aria-valuenow": order.indexOf(neuron) + 1,
      "aria-valuetext": fill(labels.said, { neuron: neuron + 1, purity }) });
  }

  showTriggers({ triggers, shares }) {
    const { names, facts } = this;
    this.triggers.replaceChildren(...triggers.map(([name, activation]) => tableRow(names[name],
      node("td", {}, ...this.word(facts[name], shares)),
      bar(activation, triggers[0][1], number, facts[name] === shares[0][0]))));
  }

  showShares({ shares, attributes }) {
    const rest = attributes - shares.length, left = 1 - sum(shares.map(([, share]) => share));
    this.shares.replaceChildren(...shares.map(([attribute, share]) =>
      this.attributeRow(attribute, shares, share, 1, number)),
    ...(rest > 0 ? [tableRow(fill(this.labels.rest, { count: rest }), bar(left, 1, number))] : []));
  }

  showEffects({ promotes, demotes, shares }) {
    const effects = [...promotes, ...[...demotes].reverse()];
    const largest = Math.max(...effects.map(([, effect]) => Math.abs(effect)));
    this.effects.replaceChildren(...effects.map(([attribute, effect]) =>
      this.attributeRow(attribute, shares, effect, largest, signed)));
  }

  attributeRow(attribute, shares, value, most, write) {
    return tableRow(this.word(attribute, shares), bar(value, most, write, attribute === shares[0]?.[0]));
  }

  // An attribute, with a star where it has the largest share of the neuron's activation.
  word(attribute, shares) {
    return [this.attributes[attribute], ...(attribute === shares[0]?.[0] ? [star()] : [])];
  }
}

export const mount = drawn(NeuronInspector);

// How often a neuron is active, for what, and whether its value vector writes the same.
export function said(labels, names, attributes, neuron, { active, half, promotes, shares }) {
  const place = { neuron: neuron + 1, active, all: names.length };
  if (!active) return fill(labels.silent, place);
  const [favourite, share] = shares[0], first = promotes[0]?.[0];
  const which = first === undefined ? labels.nothing : first === favourite ? labels.same : labels.differs;
  return [fill(labels.often, place),
    fill(labels.pure, { attribute: attributes[favourite], share: number(share, 2), half, all: attributes.length }),
    fill(which, { attribute: attributes[first] })].join(" ");
}

function star() {
  return node("span", { class: "star", "aria-hidden": "true" }, " ★");
}

function bar(value, most, write, strong = false) {
  return measure(node("td", {}), most ? value / most : 0, write(value, 2), ...(strong ? ["strong"] : []));
}
