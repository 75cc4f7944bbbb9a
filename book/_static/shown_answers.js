// JupyterLab looks for the cell that an address names before it has opened the chapter, and forgets it. So
// the address goes to its tab again when the chapter is there: then it only moves to the cell.
const AGAIN = [4000, 9000]; // milliseconds after a click, on a quick machine and on a slow one

addEventListener("click", (event) => {
  const link = event.target.closest?.(".run-exercise a[href*='/lab/workspaces/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const tab = open(link.href, "jupyterlab");
  for (const wait of AGAIN) setTimeout(() => tab?.location.replace(link.href), wait);
});
