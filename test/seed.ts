// Loaded before every test file: property tests check the same cases in every run, so a failure belongs to the change that is tested.
// `bun run fuzz` checks new cases.

import fc from "fast-check";

const { MEMLEDGER_TEST_SEED: seed = "1" } = process.env;
fc.configureGlobal({ seed: Number(seed) });
