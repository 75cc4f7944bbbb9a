// What all figures share: a shadow tree, elements, controls, arrows, numbers and sentences to fill.

const SVG = "http://www.w3.org/2000/svg";

// A shadow tree keeps the styles of page and figure apart, and makes the radio buttons of a second
// copy on the page a group of their own. It comes when the parts are there, so that the table inside
// the element stays where something before fails.
function draw(element, style, parts) {
  element.attachShadow({ mode: "open" }).append(node("style", {}, style), ...parts);
}

function radios(name, label, choices) {
  const buttons = choices.map(([text, choose], index) => {
    const button = node("input", { type: "radio", name });
    button.checked = index === 0;
    button.addEventListener("change", choose);
    return node("label", {}, button, node("span", {}, text));
  });
  return node("fieldset", {}, node("legend", { class: "name" }, label),
    node("div", { class: "choices" }, ...buttons));
}

function chooser(label, texts, choose) {
  const select = node("select", {}, ...texts.map((text) => node("option", {}, text)));
  select.addEventListener("change", () => choose(select.selectedIndex));
  return node("label", { class: "chooser" }, node("span", { class: "name" }, label), select);
}

// A slider over texts, of which it shows and says the one at its place. Its ends may have names.
function slider(label, texts, choose, ends = []) {
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

// Text is only ever set as text, so that no word of a sentence is read as HTML.
function node(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  assign(element, attributes);
  element.append(...children);
  return element;
}

function assign(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// ---- Arrows

function arrow(kind) {
  return svg("g", { class: `arrow ${kind}` }, svg("line", {}), svg("polygon", {}));
}

function point({ children: [shaft, head] }, [x, y], width, [fromX, fromY]) {
  const [along, down] = direction([x - fromX, y - fromY]);
  const back = Math.min(8 + width, Math.hypot(x - fromX, y - fromY)), side = 3 + width;
  const [x2, y2] = [x - back * along, y - back * down];
  assign(shaft, { x1: fromX, y1: fromY, x2, y2, "stroke-width": width });
  assign(head, { points: [x2 - side * down, y2 + side * along, x, y, x2 + side * down, y2 - side * along] });
}

function direction([x, y]) {
  const length = Math.hypot(x, y);
  return length ? [x / length, y / length] : [0, 0];
}

// ---- Numbers

function number(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no zero has a sign
}

function signed(value, digits) {
  const written = number(value, digits);
  return value > 0 && Number(written) ? `+${written}` : written;
}

function within(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
