// Runs compile.py in the page's own Python: node compile.mjs PYODIDE FOLDER

import { readFileSync } from "node:fs";
import process from "node:process";

const [pyodide, folder] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
try {
  const python = await loadPyodide({
    indexURL: pyodide,
    env: { HOME: "/home", BOTTOMUP_PROGRESS: "" },
  });
  python.mountNodeFS("/pack", folder);
  python.mountNodeFS("/pyodide", pyodide);
  python.runPython(readFileSync(new URL("compile.py", import.meta.url), "utf-8"), {
    filename: "compile.py",
  });
} catch (error) {
  console.error(String(error)); // without the script's line, which is a megabyte long
  process.exitCode = 1;
}
