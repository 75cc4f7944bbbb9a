// A function's numbers for every place of its knobs, worked out beforehand: bars, or shades where
// there are many columns.

import { chooser, slider } from "../shared/controls.js";
import { drawn, live, node, setText } from "../shared/elements.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";

class Knobs {
  constructor(payload) {
    Object.assign(this, payload, { places: [...payload.start] });
    this.knobs = this.axes.map((axis, index) => knob(axis, (place) => this.turn(index, place)));
    this.stage = node("div", { class: "stage" });
    this.said = live("aloud");
    this.parts = [node("p", { class: "title" }, this.labels.title),
      node("div", { class: "controls" }, ...this.knobs.map(({ part }) => part)), this.stage, this.said];
    this.places.forEach((place, index) => this.turn(index, place));
  }

  turn(index, place) {
    this.places[index] = place;
    this.knobs[index].set(place);
    this.show(tableAt(this, this.places));
  }

  show({ rows, columns, values }) {
    const { labels, top, digits } = this, many = columns.length > this.most_bars;
    const cells = values.map((value) => {
      if (value === null) return measure(node("td", {}), 0, labels.cut, "cut");
      if (many) return measure(node("td", {}), value / top, value ? number(value, digits) : "", "shade");
      return measure(node("td", {}), value / top, number(value, digits));
    });
    const heads = columns.length > 1 ? [node("td", {}), ...columns.map((name) => head(name))] : [];
    const body = rows.map((name, row) =>
      tableRow(name, ...cells.slice(row * columns.length, (row + 1) * columns.length)));
    this.stage.replaceChildren(
      table(many ? { class: "many" } : {}, null, heads, node("tbody", {}, ...body)));
    setText(this.said, most(rows, columns, values).map(([column, row, value]) =>
      fill(column ? labels.most_of : labels.most, { column, row, value: number(value, digits) })).join(" "));
  }
}

export const mount = drawn(Knobs);

function knob({ name, texts, words }, choose) {
  if (!words) return slider(name, texts, choose);
  const part = chooser(name, texts, choose), select = part.lastChild;
  return { part, set: (place) => { select.selectedIndex = place; } };
}

function head(name) {
  return node("th", { scope: "col" }, node("span", {}, name));
}

// The table for the place of each knob: states stand in the order of the axes, the last one fastest.
export function tableAt({ axes, states, tables, names }, places) {
  const state = axes.reduce((at, { texts }, index) => at * texts.length + places[index], 0);
  const [named, ...values] = tables[states[state]], [rows, columns] = names[named];
  return { rows, columns, values };
}

// For each column the row with the largest number: what is read aloud.
export function most(rows, columns, values) {
  return columns.map((column, place) => {
    const numbers = rows.map((_, row) => values[row * columns.length + place] ?? -Infinity);
    const row = numbers.indexOf(Math.max(...numbers));
    return [column, rows[row], numbers[row]];
  });
}
