// Controls: each has a name, is reached by Tab and worked by keys.

import { node } from "./elements.js";

export function radios(name, label, choices, chosen = 0) {
  const buttons = choices.map(([text, choose], index) => {
    const button = node("input", { type: "radio", name });
    button.checked = index === chosen;
    button.addEventListener("change", choose);
    return node("label", {}, button, node("span", {}, text));
  });
  return node("fieldset", {}, node("legend", { class: "name" }, label),
    node("div", { class: "choices" }, ...buttons));
}

export function chooser(label, texts, choose) {
  const select = node("select", {}, ...texts.map((text) => node("option", {}, text)));
  select.addEventListener("change", () => choose(select.selectedIndex));
  return node("label", { class: "chooser" }, node("span", { class: "name" }, label), select);
}

// A slider over texts, of which it shows and says the one at its place. Its ends may have names.
export function slider(label, texts, choose, ends = []) {
  const input = node("input", { type: "range", min: 0, max: texts.length - 1, step: 1 });
  const value = node("b", { "aria-hidden": "true" });
  const set = (place) => {
    input.value = place;
    value.textContent = texts[place];
    input.setAttribute("aria-valuetext", texts[place]);
  };
  input.addEventListener("input", () => choose(input.valueAsNumber));
  const part = node("label", { class: "slider" }, node("span", { class: "name" }, `${label} `, value),
    input, node("span", { class: "ends", "aria-hidden": "true" },
      ...ends.map((end) => node("span", {}, end))));
  return { part, input, set };
}

export function checkbox(text, choose) {
  const input = node("input", { type: "checkbox" });
  input.addEventListener("change", () => choose(input.checked));
  return node("label", { class: "check" }, input, text);
}

// A sign such as an arrow needs a name that can be read aloud.
export function button(content, press, name) {
  const made = node("button", { type: "button", ...(name && { "aria-label": name }) }, content);
  made.addEventListener("click", press);
  return made;
}

// A title with a button back and one forward beside it.
export function stepper(title, [back, backName], [forward, forwardName], step) {
  return node("div", { class: "stepper" }, title,
    button(back, () => step(-1), backName), button(forward, () => step(1), forwardName));
}
