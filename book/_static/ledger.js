// The reproduction ledger: fields above the table choose rows, buttons in its head sort them. The
// address keeps the choice, so that a view can be linked: ledger.html?verdict=fails&sort=-paper.
// A row opens by itself, without this script, but not to a link that leads to it.
(() => {
  const PAUSE = 150; // milliseconds after the last key before the table follows
  const FIRST = "claim"; // the order of the file: claims by their numbers

  const form = document.querySelector("form.ledger-filter");
  const table = document.querySelector("table.ledger");
  const body = table.tBodies[0];
  const { chapter, kind, verdict, words } = form.elements;
  const lists = [chapter, kind, verdict];
  const fields = [...lists, words];
  const sort = { by: FIRST, falling: false };

  // ---- What a row is chosen and ordered by

  const has = (row, name, value) => row.classList.contains(`${name}-${value}`);
  const text = (row, selector) =>
    Array.from(row.querySelectorAll(selector), (part) => part.textContent).join(" ");

  const claims = Array.from(body.rows, (row, place) => ({
    row,
    details: row.querySelector("details"),
    place,
    said: text(row, ".ledger-words").toLowerCase(),
    paper: text(row, ".ledger-paper"),
    verdict: Array.from(verdict.options).findIndex(({ value }) => has(row, "verdict", value)),
  }));

  const isChosen = ({ row, said }) =>
    lists.every(({ name, value }) => !value || has(row, name, value)) &&
    words.value.toLowerCase().split(/\s+/).every((word) => said.includes(word));

  const alphabet = new Intl.Collator(document.documentElement.lang || "en", { numeric: true });
  const compare = {
    claim: (one, other) => one.place - other.place,
    paper: (one, other) => alphabet.compare(one.paper, other.paper),
    verdict: (one, other) => one.verdict - other.verdict,
  };

  // ---- What is shown

  function show() {
    for (const claim of claims) claim.row.hidden = !isChosen(claim);
    const shown = claims.filter(({ row }) => !row.hidden).length;
    const count = form.querySelector(".ledger-shown");
    const said = count.dataset.text.replace("{shown}", shown).replace("{all}", claims.length);
    if (count.textContent !== said) count.textContent = said;
    nameOpener();
    showOrder();
  }

  function showOrder() {
    const sign = sort.falling ? -1 : 1;
    const rows = [...claims]
      .sort((one, other) => sign * compare[sort.by](one, other))
      .map(({ row }) => row);
    // Rows that stand right stay: moving one may take :target and focus from it.
    if (rows.some((row, index) => row !== body.rows[index])) body.append(...rows);
    for (const { cell, key } of heads) {
      if (key !== sort.by) cell.removeAttribute("aria-sort");
      else cell.setAttribute("aria-sort", sort.falling ? "descending" : "ascending");
    }
  }

  // ---- The address

  function readAddress() {
    const asked = new URLSearchParams(location.search);
    for (const field of fields) {
      field.value = asked.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = ""; // no value of the list
    }
    const order = asked.get("sort") ?? FIRST;
    const key = order.replace(/^-/, "");
    sort.by = Object.hasOwn(compare, key) ? key : FIRST;
    sort.falling = order === `-${sort.by}`;
  }

  function writeAddress(hash = "") {
    const choice = fields.filter(({ value }) => value).map(({ name, value }) => [name, value]);
    const order = (sort.falling ? "-" : "") + sort.by;
    if (order !== FIRST) choice.push(["sort", order]);
    const query = new URLSearchParams(choice).toString();
    history.replaceState(null, "", location.pathname + (query && `?${query}`) + hash);
  }

  // A link to a claim counts for more than a filter that would hide it.
  function followAddress() {
    readAddress();
    const linked = claims.find(({ row }) => location.hash === `#${row.id}`);
    if (linked && !isChosen(linked)) {
      for (const field of fields) field.value = "";
      writeAddress(location.hash);
    }
    show();
    if (!linked) return;
    linked.details.open = true;
    linked.row.scrollIntoView();
  }

  // ---- What the reader does

  function update() {
    show();
    writeAddress();
  }

  let waiting;
  function updateSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(update, PAUSE);
  }

  // Opens the rows that are shown, or closes all where those are open.
  function turnRows() {
    const shown = claims.filter(({ row }) => !row.hidden);
    const open = !shown.every(({ details }) => details.open);
    for (const { details } of open ? shown : claims) details.open = open;
  }

  const opener = form.querySelector(".ledger-open");
  const openText = opener.textContent;
  function nameOpener() {
    const shown = claims.filter(({ row }) => !row.hidden);
    const allOpen = shown.length > 0 && shown.every(({ details }) => details.open);
    opener.textContent = allOpen ? opener.dataset.close : openText;
  }

  function sortBy(key) {
    sort.falling = key === sort.by && !sort.falling;
    sort.by = key;
    update();
  }

  function addButton(cell) {
    const key = Object.keys(compare).find((name) => cell.classList.contains(`ledger-by-${name}`));
    if (!key) return [];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    button.addEventListener("click", () => sortBy(key));
    cell.replaceChildren(button);
    return [{ cell, key }];
  }

  const heads = Array.from(table.tHead.rows[0].cells).flatMap(addButton);
  table.classList.add("ledger-sortable");
  form.hidden = false;
  form.addEventListener("input", updateSoon);
  form.addEventListener("reset", updateSoon); // the fields are emptied after this event
  form.addEventListener("submit", (event) => event.preventDefault());
  opener.addEventListener("click", turnRows);
  body.addEventListener("toggle", nameOpener, true);
  addEventListener("popstate", followAddress);
  // On paper every row is open; afterwards those that were.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = claims.filter(({ details }) => !details.open);
    for (const { details } of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const { details } of closed) details.open = false;
  });
  followAddress();
})();
