// The editor of an answer: CodeMirror with the parts that a few lines of Python need. The page loads it when a
// reader answers; until then, and where it does not load, a text area stands in its place.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours are the page's (answer_here.css), so that they change with its mode.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null, tags.self], color: "var(--answer-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--answer-string)" },
  { tag: tags.comment, color: "var(--answer-comment)", fontStyle: "italic" },
  { tag: tags.number, color: "var(--answer-number)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--answer-name)" },
]);

const look = EditorView.theme({
  "&": { color: "inherit", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit" },
  ".cm-content": { caretColor: "currentColor", padding: "0" },
  ".cm-line": { padding: "0" },
  ".cm-cursor": { borderLeftColor: "currentColor" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--answer-selection)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--answer-selection)" },
});

/**
 * Put an editor into an element.
 * @param {Element} parent where it goes, at the end
 * @param {object} settings
 * @param {string} settings.text what stands in it
 * @param {string} settings.label its name for a screen reader
 * @param {string} [settings.describedBy] the id of what describes its keys
 * @param {{anchor: number, head: number}} [settings.cursor] what is selected
 * @param {() => void} settings.onCheck called at Control or Command with Enter
 * @param {(text: string) => void} [settings.onChange] called after each change
 */
export function edit(parent, { text, label, describedBy = "", cursor, onCheck, onChange = () => {} }) {
  const checks = {
    key: "Mod-Enter",
    run: () => {
      onCheck();
      return true;
    },
  };
  const view = new EditorView({
    parent,
    doc: text,
    selection: cursor,
    extensions: [
      history(),
      drawSelection(),
      python(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      indentOnInput(),
      bracketMatching(),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      look,
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": describedBy,
        spellcheck: "false",
        autocapitalize: "off",
        autocorrect: "off",
      }),
      // Before the default, to which Mod-Enter is a new line. Tab indents; after Escape the view lets it leave.
      Prec.highest(keymap.of([checks])),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(view.state.doc.toString());
      }),
    ],
  });
  return {
    element: view.dom,
    answer: () => view.state.doc.toString(),
    setAnswer: (answer) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: answer }, userEvent: "input" }),
    focus: () => view.focus(),
  };
}
