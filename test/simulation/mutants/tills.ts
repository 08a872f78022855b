// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const TILLS_MUTANTS: readonly Mutant[] = [
  {
    breaks: "a redemption needs a free use",
    file: "src/till/redemptions/queries.ts",
    find: "    ...REDEMPTION_CHECKS,\n  ]),",
    replace: "  ]),",
    foundBy: [RULES.TILL_USES],
  },
  {
    breaks: "a hold that was redeemed is not counted besides",
    file: "migrations/0017_redemptions.sql",
    find: "AND customer_coupon_key = NEW.customer_coupon_key AND state = 'held';",
    replace: "AND customer_coupon_key = NEW.customer_coupon_key AND state = 'none';",
    foundBy: [RULES.TILL_FREE, RULES.TILL_USES],
  },
  {
    breaks: "a hold ends",
    file: "migrations/0017_redemptions.sql",
    find: "WHERE state = 'held' AND held_until >= (SELECT now FROM clock);",
    replace: "WHERE state = 'held';",
    foundBy: [RULES.TILL_FREE],
  },
  {
    breaks: "a redemption is reversed once",
    file: "src/till/reversals/queries.ts",
    find: "NOT EXISTS (SELECT 1 FROM ${redemptions} AS other WHERE other.reverses = reversed.id)",
    replace: "true",
    foundBy: [RULES.NO_500, RULES.TILL_ONCE],
  },
  {
    breaks: "points that are not there are not spent",
    file: "src/till/entries/queries.ts",
    find: "AND is_kept AND has_happened AND balance_suffices`;",
    replace: "AND is_kept AND has_happened`;",
    foundBy: [RULES.TILL_ONCE],
  },
  {
    breaks: "an id is compared with its content",
    file: "src/till/refusals.ts",
    find: "if (differing.length === 0) return;",
    replace: "if (differing.length >= 0) return;",
    foundBy: [RULES.TILL_IDS],
  },
  {
    breaks: "an act has a version of its own",
    file: "src/records/acts.ts",
    find: "SET ${columnNames(version)} = ${version} + 1,",
    replace: "SET ${columnNames(version)} = ${version},",
    foundBy: [RULES.NO_500, RULES.JOURNAL, RULES.TILL_CHANGES],
  },
  {
    breaks: "an act has its row in the journal",
    file: "src/records/acts.ts",
    find: "${from} WHERE ${isTakenBy(placeholder)}\n",
    replace: "${from} WHERE ${isTakenBy(placeholder)} AND false\n",
    foundBy: [RULES.JOURNAL, RULES.TILL_CHANGES, RULES.OWN_JOURNAL, RULES.MODEL],
  },
  {
    breaks: "a repetition that is the next transaction adds nothing to a total",
    file: "src/records/acts.ts",
    find: "FROM ${programState} WHERE ${act} = ${id})`;",
    replace: "FROM ${programState} WHERE ${id} <> '')`;",
    foundBy: [RULES.RECOUNT, RULES.TILL_ONCE, RULES.MODEL, RULES.TILL_QUIET],
  },
  {
    breaks: "an act that was refused or repeated notifies nobody",
    file: "src/till/holds/queries.ts",
    find: "AND ${outbox.topic} = 'coupons'\n    AND ${outbox.customers} = ${customers}`;",
    replace: "OR ${customers} IS NULL AND ${outbox.version} = (SELECT ${programState.version} FROM ${programState})`;",
    foundBy: [RULES.TILL_QUIET, RULES.OWN_QUIET],
  },
];
