import { env } from "cloudflare:workers";
import { DERIVED } from "../../scripts/verify-totals/derived.ts";
import { ALL_KEYS, findDifferences } from "../../scripts/verify-totals/recount.ts";

/** The differences that `npm run edge -- verify-totals` would find. */
export async function differences() {
  const results = await env.DB.batch(DERIVED.map((derived) => env.DB.prepare(findDifferences(derived, ALL_KEYS))));
  const differencesByName = DERIVED.map(({ name }, index) => ({ name, found: results[index]?.results ?? [] }));
  return differencesByName.filter(({ found }) => found.length > 0);
}
