// What the simulation takes of the service: the entry of the bundle that each simulated isolate evaluates for itself.
export { createClient } from "../../src/client/index.ts";
export { DERIVED } from "../../src/db/derived/index.ts";
export { ALL_KEYS, findDifferences, toText } from "../../src/db/derived/recount.ts";
export * from "../../src/index.ts";
export { default as worker } from "../../src/index.ts";
