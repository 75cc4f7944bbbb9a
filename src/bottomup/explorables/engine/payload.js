// A trained model as it is stored: a header, and all parameters as 16-bit floats, which are those of
// the book's record, bit for bit.

import { matrix } from "./matrices.js";
import { Transformer } from "./transformer.js";
import { Translator } from "./translator.js";

// What the last bit of the fraction is worth, for each exponent.
const UNIT = Array.from({ length: 32 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));

// A translator with parameters of its own: to train it changes no other.
export function translatorOf({ weights, ...header }) {
  return new Translator(header, new Transformer(header.config, read(header, bytesOf(weights))));
}

export function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Parameters by name, a vector as one row. The upper bytes of all numbers stand before all lower ones,
// which lets them be compressed better: signs and exponents are much alike, fractions are not.
export function read({ parameters }, bytes) {
  const count = bytes.length / 2;
  let at = 0;
  const found = parameters.map(([name, shape]) => {
    const [rows, cols] = shape.length === 2 ? shape : [1, ...shape], all = matrix(rows, cols);
    for (let i = 0; i < all.data.length; i++, at++) all.data[i] = fromHalf((bytes[at] << 8) | bytes[count + at]);
    return [name, all];
  });
  if (at !== count) throw new Error(`weights: expected ${2 * at} bytes, got ${bytes.length}`);
  return Object.fromEntries(found);
}

// One bit of sign, five of exponent, ten of fraction; there are no infinities among parameters.
export function fromHalf(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const size = (exponent ? 1024 + fraction : fraction) * UNIT[exponent];
  return bits & 0x8000 ? -size : size;
}
