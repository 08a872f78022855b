import type { Difference } from "../../../src/db/derived/recount.ts";
import type { World } from "../world.ts";
import { RECOUNT } from "./names.ts";

/** What is derived equals what it is derived from, counted anew: `npm run verify-totals`. */
export function checkDerived(world: World): void {
  const { DERIVED, findDifferences, ALL_KEYS, toText } = world.outside.service;
  for (const derived of DERIVED) {
    const [found] = world.database.primary.read<Difference>(findDifferences(derived, ALL_KEYS));
    if (found !== undefined) world.fail(RECOUNT, `${derived.name}: ${toText(found)}`);
  }
}
