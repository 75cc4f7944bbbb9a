// A drawing of the package inside a figure: SVG that Python wrote, in the figure's own colours.

export function drawing(svg) {
  return document.createRange().createContextualFragment(svg).firstElementChild;
}
