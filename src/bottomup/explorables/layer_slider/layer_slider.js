// The layer slider: information about the input token, distances between networks, and a sentence's
// tokens on their way through the layers. All numbers were worked out beforehand.

import { radios, slider, stepper } from "../shared/controls.js";
import { drawn, live, node, setText } from "../shared/elements.js";
import { sum, within } from "../shared/numbers.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";
import { Curves } from "./curves.js";
import { Plane } from "./plane.js";

const NAMED = 3; // types that the summary names

class LayerSlider {
  constructor(payload) {
    const { labels, stations, networks, tokens, start } = payload;
    Object.assign(this, payload);
    this.slider = slider(labels.station, stations, (station) => this.show({ station }),
      [stations[0], stations.at(-1)]);
    this.summary = live("summary ruled");
    this.curves = new Curves(payload, (station) => this.show({ station }));
    this.plane = new Plane(payload, (token) => this.show({ token }));
    this.bars = payload.pairs.map(() => node("td", {}));
    this.most = fullBar(payload.distances);
    this.title = node("p", { class: "title" });
    this.caption = node("caption", { class: "title" });
    this.near = node("tbody", {});
    this.words = radios("token", labels.token, tokens.map((text, token) => [text, () => this.show({ token })]));
    this.words.classList.add("row");
    this.parts = [
      node("div", { class: "controls" }, this.slider.part, radios("network", labels.network,
        networks.map((text, network) => [text, () => this.show({ network })]))),
      this.summary,
      node("div", { class: "panes" }, node("div", {}, ...this.curves.parts, ...this.distanceTable()),
        node("div", {}, this.head(), this.words, this.plane.picture,
          node("p", { class: "note" }, labels.how), this.neighbourTable()))];
    this.show({ station: middle(stations), network: 0, token: start.token });
  }

  distanceTable() {
    const { labels, pairs, bars } = this;
    return [table({}, labels.distances, [labels.pair, labels.distance],
      node("tbody", {}, ...pairs.map((pair, index) => tableRow(pair, bars[index])))),
    node("p", { class: "note" }, fill(labels.scale, { most: this.most }))];
  }

  head() {
    const { labels, stations } = this;
    return stepper(this.title, ["←", labels.before], ["→", labels.after],
      (by) => this.show({ station: within(this.at.station + by, 0, stations.length - 1) }));
  }

  // As high as for the most types, so that nothing below jumps.
  neighbourTable() {
    const { labels, neighbours } = this;
    const rows = 1 + Math.max(...neighbours.flat(2).map((types) => types.length));
    return node("div", { class: "near", style: `--rows: ${rows}` },
      table({}, this.caption, [labels.type, labels.share], this.near));
  }

  show({ station = this.at?.station, network = this.at?.network, token = this.at?.token }) {
    const { labels, stations, networks, tokens, distances } = this;
    const along = this.at?.network === network && this.at?.station !== station;
    this.at = { station, network, token };
    const names = { station: stations[station], network: networks[network], token: tokens[token] };
    const near = withRest(this.neighbours[network][station][token]
      .map(([type, share]) => [this.types[type], share]));
    this.slider.set(station);
    this.curves.show(this.at);
    this.bars.forEach((bar, pair) => {
      const value = distances[pair][station];
      measure(bar, value / this.most, number(value, 2));
    });
    this.title.textContent = fill(labels.plane, names);
    this.plane.show(this.at, along, fill(labels.plane_aloud, names));
    this.words.querySelectorAll("input").forEach((radio, index) => { radio.checked = index === token; });
    this.caption.textContent = fill(labels.neighbours, names);
    this.near.replaceChildren(...near.map(([type, share]) => tableRow(type ?? labels.others, measure(node("td", {}),
      share, fill(labels.percent, { share: percent(share) }), ...(type === tokens[token] ? ["own"] : [])))));
    setText(this.summary, this.said(names, near));
  }

  said(names, near) {
    const { labels, at: { station, network } } = this;
    const types = near.filter(([type], place) => type === null || place < NAMED)
      .map(([type, share]) => fill(labels.neighbour, { type: type ?? labels.others, share: percent(share) }));
    const apart = this.pairs.map((pair, index) =>
      fill(labels.apart, { pair, distance: number(this.distances[index][station], 2) }));
    const [entropy, value] = [this.entropy, this.information[network][station]].map((nats) => number(nats, 2));
    return [
      fill(labels.said, { ...names, entropy, value }),
      fill(labels.said_apart, { pairs: apart.join("; ") }),
      fill(labels.said_near, { ...names, types: types.join(", ") })].join(" ");
  }
}

export const mount = drawn(LayerSlider);

// Where the figure starts: there is a way behind the tokens and one before them, and distances have bars.
export function middle(stations) {
  return Math.floor(stations.length / 2);
}

// The distance for which a bar is full: the largest, in tenths.
export function fullBar(distances) {
  return Math.max(0.1, Math.ceil(10 * Math.max(...distances.flat())) / 10);
}

// Types and shares; without a type what is left for all others.
export function withRest(listed) {
  const rest = 1 - sum(listed.map(([, share]) => share));
  return rest < 0.005 ? listed : [...listed, [null, rest]];
}

function percent(share) {
  return number(100 * share, 0);
}
