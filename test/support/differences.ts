import { env } from "cloudflare:workers";
import { ALL_KEYS, findDifferences } from "../../src/db/derived/recount.ts";
import { DERIVED } from "../../src/records/derived.ts";

/** The differences that `npm run edge -- verify-totals` would find. */
export async function differences() {
  const results = await env.DB.batch(DERIVED.map((derived) => env.DB.prepare(findDifferences(derived, ALL_KEYS))));
  const differencesByName = DERIVED.map(({ name }, index) => ({ name, found: results[index]?.results ?? [] }));
  return differencesByName.filter(({ found }) => found.length > 0);
}
