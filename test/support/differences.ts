import { env } from "cloudflare:workers";
import { DERIVED } from "../../src/db/derived/index.ts";
import { ALL_KEYS, findDifferences } from "../../src/db/derived/recount.ts";

/** The differences that `npm run verify-totals` would find. */
export async function differences(database = env.DB) {
  const results = await database.batch(DERIVED.map((derived) => database.prepare(findDifferences(derived, ALL_KEYS))));
  return DERIVED.map(({ name }, index) => ({ name, found: results[index]?.results })).filter(
    ({ found }) => found?.length,
  );
}
