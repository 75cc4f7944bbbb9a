// What a reader does with keys and pointer.

// Keys and what each of them means. Where one is pressed, neither does the page scroll nor does
// JupyterLab move to the next cell. With a modifier they are the browser's.
export function onKeys(element, meanings, act) {
  element.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (!Object.hasOwn(meanings, key) || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act(meanings[key], event);
  });
}

// A press, and what a pressed pointer moves over; a mouse that passes by does nothing.
export function onPress(element, act) {
  element.addEventListener("pointerdown", act);
  element.addEventListener("pointermove", (event) => { if (event.buttons) act(event); });
}

// Where an event lies in an element that is `width` units wide.
export function placeIn(element, { clientX, clientY }, width) {
  const box = element.getBoundingClientRect();
  return [clientX - box.left, clientY - box.top].map((pixels) => (width * pixels) / box.width);
}

// A finger that slides keeps its first element as the event's target: ask what lies below.
export function below(element, { clientX, clientY }) {
  return element.getRootNode().elementFromPoint(clientX, clientY);
}
