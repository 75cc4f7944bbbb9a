import assert from "node:assert/strict";
import { test } from "node:test";

import { given } from "../given.js";

for (const [module, exported] of Object.entries(given))
  test(`${module} exports what the bundler hands over`, async () => {
    const loaded = await import(`../../../src/bottomup/explorables/${module}`);
    assert.deepEqual(Object.keys(loaded), [...exported].sort());
  });
