// What a test of pytest hands over: see node.py.

import { readFileSync } from "node:fs";
import { env } from "node:process";

export const given = JSON.parse(readFileSync(env.GIVEN, "utf8"));

// Numbers, in whatever lists they stand, that agree to within rounding.
export function close(found, expected, tolerance = 1e-9) {
  if (!Array.isArray(expected)) return Math.abs(found - expected) <= tolerance;
  return found.length === expected.length
    && expected.every((value, index) => close(found[index], value, tolerance));
}
