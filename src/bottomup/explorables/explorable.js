// What all figures share: a shadow tree, elements, radio buttons, sentences with places to fill.

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
