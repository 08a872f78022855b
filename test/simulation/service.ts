// The entry of the bundle that each simulated isolate evaluates: the Worker, and what actors and rules call.
export { createClient } from "../../client/src/client.ts";
export { createTill } from "../../client/src/till.ts";
export { DERIVED } from "../../scripts/verify-totals/derived.ts";
export { ALL_KEYS, findDifferences, toText } from "../../scripts/verify-totals/recount.ts";
export * from "../../src/index.ts";
export { default as worker } from "../../src/index.ts";
