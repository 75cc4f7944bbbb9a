// Elements of a figure: made, filled, and put into its shadow tree.

const SVG = "http://www.w3.org/2000/svg";

// A shadow tree keeps the styles of page and figure apart, and makes the radio buttons of a second
// copy on the page a group of their own. It comes when the parts are there, so that the table inside
// the element stays where something before fails.
export function draw(element, style, parts) {
  element.attachShadow({ mode: "open" }).append(node("style", {}, style), ...parts);
}

// What a page calls to put a figure into its element: a class whose instances have parts.
export function drawn(Figure) {
  return (element, payload, style) => draw(element, style, new Figure(payload).parts);
}

// Text is only ever set as text, so that no word of a sentence is read as HTML.
export function node(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  assign(element, attributes);
  element.append(...children);
  return element;
}

export function assign(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

// A paragraph that is read aloud when its text changes.
export function live(kind) {
  return node("p", { class: kind, "aria-live": "polite" });
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text; // else it is read again
}

// What colours and shapes mean: for each a sample and its words.
export function legend(...keys) {
  return node("ul", { class: "legend" }, ...keys);
}

export function legendKey(...parts) {
  return node("li", { class: "key" }, ...parts);
}

export function sample(...shapes) {
  return svg("svg", { viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" }, ...shapes);
}
