// A token's journey: what the stream holds behind every station of a Transformer, with and without
// its residual connections. All numbers were worked out beforehand.

import { radios } from "../shared/controls.js";
import { drawn, live, node } from "../shared/elements.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";

const SMALL = 0.05; // share of the length below which a cosine stands in brackets
const SUBLAYERS = ["attention", "cross_attention", "feed_forward"];
const ON = 0, OFF = 1;

class TokenJourney {
  constructor({ labels, sides, longest, answers, expected }) {
    Object.assign(this, { labels, longest, answers, expected });
    this.setting = ON;
    this.tracks = sides.map((side) => this.track(side));
    this.tables = [labels.with, labels.without].map((text) => this.answerTable(text));
    this.asked = node("p", { class: "title" });
    this.summary = live("summary ruled");
    const residual = radios("residual", labels.residual, [
      [labels.on, () => this.show({ setting: ON })],
      [labels.off, () => this.show({ setting: OFF })]]);
    this.parts = [node("div", { class: "controls" }, residual), this.summary, this.about(),
      node("div", { class: "panes" }, ...this.tracks.map((track, index) => this.side(track, index)),
        node("div", { class: "predicted" }, this.asked,
          node("div", { class: "answers" }, ...this.tables.map(({ part }) => part))))];
    this.show({});
  }

  // A track below the choice of its token.
  side(track, index) {
    const { labels } = this, [name, label] = index ? ["target", labels.target] : ["source", labels.source];
    const chooser = radios(name, label, track.tokens.map((token, place) => [token, () => this.move(track, place)]));
    chooser.classList.add("row");
    return node("div", { class: `side ${name}` }, chooser, track.part);
  }

  track({ name, tokens, ids, cosines, stations }) {
    const columns = ["length", "apart", ...cosines];
    const bodies = stations.map((station, index) =>
      this.station(station, columns, station.shape !== stations[index - 1]?.shape));
    const part = table({ class: "track" }, this.labels[name], columns.map((column) => this.labels[column]),
      ...bodies.map(({ body }) => body));
    return { tokens, ids, cosines, stations, bodies, part, place: 0 };
  }

  // The shape stands where it is another than before.
  station({ part, name, shape, readings }, columns, changed) {
    const formula = node("span", { class: "formula" });
    const cells = readings.length ? columns.map(() => node("td", {}))
      : [node("td", { class: "given", colspan: columns.length })];
    const head = node("th", { scope: "rowgroup", colspan: columns.length },
      node("b", {}, name), " ", ...(changed ? [node("code", {}, shape), " "] : []), formula);
    const body = node("tbody", { class: SUBLAYERS.includes(part) ? "sublayer" : "" },
      node("tr", {}, head), node("tr", {}, ...cells));
    return { body, cells, formula };
  }

  answerTable(text) {
    const { labels } = this, body = node("tbody", {});
    return { part: table({}, text, [labels.token, labels.probability], body), body };
  }

  about() {
    const { labels } = this;
    return node("p", { class: "about" }, `${labels.about_length} ${labels.about_cosines} `,
      node("span", {}, star(), ` ${labels.nearest}. `),
      node("span", {}, `( ) ${fill(labels.brackets, { percent: 100 * SMALL })}.`));
  }

  move(track, place) {
    track.place = place;
    this.show({});
  }

  show({ setting = this.setting }) {
    this.setting = setting;
    for (const track of this.tracks) this.showTrack(track);
    this.showAnswers();
    this.summary.textContent = this.said();
  }

  showTrack({ stations, bodies, cosines, ids, place }) {
    stations.forEach(({ part, formulas, readings }, index) => {
      const { body, cells, formula } = bodies[index];
      formula.textContent = formulas[this.setting];
      body.classList.toggle("cut", this.setting === OFF && SUBLAYERS.includes(part));
      if (readings.length) this.showReadings(cells, readings[this.setting], cosines, place);
      else cells[0].textContent = part === "tokens"
        ? fill(this.labels.number, { number: ids[place] }) : this.labels.to_answers;
    });
  }

  showReadings([length, apart, ...rest], readings, cosines, place) {
    const { longest } = this, small = readings.share[place] < SMALL; // too little to be called near anything
    [[length, "length"], [apart, "apart"]].forEach(([cell, name]) =>
      measure(cell, longest ? readings[name][place] / longest : 0, written(readings[name][place])));
    cosines.forEach((name, index) => {
      const value = readings[name][place], nearest = !small && readings[`${name}_nearest`][place];
      const text = small ? `(${written(value)})` : written(value);
      measure(rest[index], value, nearest ? [text, star()] : text, ...(nearest ? ["nearest"] : []));
    });
  }

  showAnswers() {
    const { labels, tracks: [, { tokens, place }] } = this;
    this.asked.textContent = fill(labels.answers, { token: tokens[place] });
    this.tables.forEach(({ part, body }, setting) => {
      part.classList.toggle("current", setting === this.setting);
      body.replaceChildren(...this.answers[setting][place].map(([word, share, right]) =>
        tableRow([word, ...(right ? [` (${labels.right})`] : [])], measure(node("td", {}), share, written(share)))));
    });
  }

  said() {
    const { labels, setting, tracks: [source, target], expected } = this;
    const memory = source.stations.at(-1).readings[setting], at = source.place;
    const [answer, share, right] = this.answers[setting][target.place][0];
    const verdict = right ? labels.said_right
      : fill(labels.said_wrong, { expected: expected[target.place] });
    return [fill(labels.said_source, { switch: setting === ON ? labels.said_on : labels.said_off,
      token: source.tokens[at], word: number(memory.word[at], 2), place: number(memory.place[at], 2),
      share: Math.round(100 * memory.share[at]) }),
    fill(labels.said_target, { token: target.tokens[target.place], answer, verdict,
      share: number(share, 2) })].join(" ");
  }
}

export const mount = drawn(TokenJourney);

function star() {
  return node("span", { class: "star" }, "★");
}

export function written(value) {
  return number(value, Math.abs(value) < 10 ? 2 : 1);
}
