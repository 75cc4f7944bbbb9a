import assert from "node:assert/strict";
import { test } from "node:test";

import { written } from "../../../src/bottomup/explorables/token_journey/token_journey.js";

test("large numbers have one digit behind the point, others two", () => {
  assert.deepEqual([0.123, 9.994, -9.5, 10, -12.34].map(written), ["0.12", "9.99", "−9.50", "10.0", "−12.3"]);
});
