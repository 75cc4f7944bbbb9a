// The trained translator: English words in, Korean out, as bottomup.results.translator has it.

import { fill } from "../shared/words.js";
import { closeMatches } from "./close_matches.js";
import { greedy } from "./decoding.js";
import { writer } from "./korean.js";
import { EOS } from "./transformer.js";

const FULL_STOP = ".", OTHER_ENDS = ["?", "!"];
const WORD = /[,.!?;:]|[^\s,.!?;:]+/g; // a mark stands alone, as in the corpus
const SPECIAL = 4; // tokens at the head of each vocabulary

// words: the unknown ones; near: for each of them the known words that resemble it.
export class UnknownWordsError extends Error {
  constructor(message, words, near) {
    super(message);
    this.words = words;
    this.near = near;
  }
}

export class Translator {
  constructor(header, model) {
    this.header = header;
    this.model = model;
    this.sourceWords = header.source_words;
    this.targetTokens = header.target_tokens;
    this.known = header.source_words.slice(SPECIAL);
    this.korean = writer(header.korean);
    this.numbers = new Map(header.source_words.map((word, number) => [word, number]));
    this.glosses = new Map(header.target_tokens.map((token, number) => [token, header.glosses[number]]));
    this.senses = new Map(header.senses.map(([token, word, sense]) => [`${token} ${word}`, sense]));
  }

  // Greedily: at each position the token with the highest probability.
  translate(sentence, change) {
    const words = this.read(sentence);
    const numbers = greedy(this.model, this.encode(words), { longest: this.header.longest, change });
    return { ...this.translation(words, numbers), numbers };
  }

  // Numbers of words, with the end mark that the model reads behind them.
  encode(words) {
    return [...words.map((word) => this.numbers.get(word)), EOS];
  }

  decode(numbers) {
    return numbers.map((number) => this.targetTokens[number]);
  }

  // What the model wrote for these words, for reading.
  translation(words, numbers) {
    const tokens = this.decode(numbers), hangul = this.korean.detokenize(tokens);
    const glosses = tokens.map((token) => this.gloss(token, token.startsWith("-") ? [] : words));
    return { source: words, tokens, glosses, hangul, romanised: this.korean.romanise(hangul) };
  }

  // The token's English; of several senses the words of the source choose one.
  gloss(token, words = []) {
    const word = words.find((each) => this.senses.has(`${token} ${each}`));
    return word === undefined ? (this.glosses.get(token) ?? token) : this.senses.get(`${token} ${word}`);
  }

  // The words of a sentence that the model can read, a full stop behind them.
  read(sentence) {
    const { messages, most_words: most } = this.header;
    const words = sentence.normalize("NFC").toLowerCase().replaceAll("’", "'").match(WORD) ?? [];
    if (!words.some((word) => /[\p{L}\p{N}]/u.test(word)))
      throw new Error([messages.no_word, ...this.example()].join(" "));
    if (words.at(-1) !== FULL_STOP) words.push(FULL_STOP);
    if (words.length > most) throw new Error(fill(messages.too_long, { most, got: words.length }));
    const unknown = [...new Set(words)].filter((word) => !this.known.includes(word));
    if (unknown.length) throw this.unknownWords(unknown);
    return words;
  }

  // What the model should not have to read, and writes nonsense for; "" where training had such sentences.
  warning(words) {
    const { messages } = this.header, [at, end] = this.unseen(words);
    if (!end) return "";
    return fill(at ? messages.new_pattern : messages.new_start, { words: words.slice(Math.max(at - 1, 0), end).join(" ") });
  }

  // The first three kinds in a row that no training sentence has, the beginning being one, as the place of
  // the first of them and that behind the last word; [] if there are none. As minilang/patterns.py has it.
  unseen(words) {
    const { begin, after } = this.header.patterns, kinds = [begin, ...words.map((word) => this.kind(word))];
    const at = kinds.findIndex((third, place) => place > 1 && !after[`${kinds[place - 2]} ${kinds[place - 1]}`]?.includes(third));
    return at < 0 ? [] : [at - 2, at];
  }

  // A function word, a pronoun and a mark are kinds of their own; of other words the class is the kind.
  kind(word) {
    const { classes: { names, source }, patterns: { itself } } = this.header, name = names[source[this.numbers.get(word)]];
    return itself.includes(name) ? word : name;
  }

  unknownWords(unknown) {
    const { messages } = this.header, parts = [], words = unknown.filter((word) => !OTHER_ENDS.includes(word));
    const near = Object.fromEntries(words.map((word) => [word, closeMatches(word, this.known)]));
    const all = [...new Set(words.flatMap((word) => near[word]))];
    if (words.length) {
      const count = this.known.filter((word) => ![",", FULL_STOP].includes(word)).length;
      parts.push(fill(messages.unknown, { words: quoted(words) }), fill(messages.count, { count }));
    }
    if (all.length) parts.push(fill(messages.near, { words: quoted(all) }));
    if (words.length < unknown.length) parts.push(messages.statements_only);
    return new UnknownWordsError([...parts, ...this.example()].join(" "), unknown, near);
  }

  // Advice with a sentence that the model can read, if there is one.
  example() {
    return this.header.examples.slice(0, 1).map((sentence) => fill(this.header.messages.example, { sentence }));
  }
}

function quoted(words) {
  return words.map((word) => `“${word}”`).join(", ");
}
