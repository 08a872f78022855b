// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const FEED_MUTANTS: readonly Mutant[] = [
  {
    breaks: "an event whose id is taken is refused",
    file: "src/feed/apply/taken-ids.ts",
    find: ") WHERE fields <> ''`;",
    replace: ") WHERE false`;",
    foundBy: [RULES.MODEL, RULES.NO_LOSS],
  },
  {
    breaks: "a client whose feed exceeds D1's memory is told to send fewer lines",
    file: "src/feed/refusals.ts",
    find: 'databaseFaultOf(error) === "exceeded"',
    replace: 'databaseFaultOf(error) === "full"',
    foundBy: [RULES.ANSWER_413],
  },
  {
    breaks: "an event counts once",
    file: "src/feed/apply/statements.ts",
    find: 'stored WHERE stored.id = ${columnValue(kind, "id")}',
    replace: "stored WHERE stored.id IS NULL",
    foundBy: [RULES.MODEL],
  },
  {
    breaks: "only a committed feed is acknowledged",
    file: "src/feed/queries.ts",
    find: "throw refusalOf(error, { faults: checks.faults, batches });",
    replace: `const refusal = refusalOf(error, { faults: checks.faults, batches });
    if (refusal === error)
      return { answer: { accepted: count, ignored: 0 }, version: 1, forListeners: { changes: [], unshown: null } };
    throw refusal;`,
    foundBy: [RULES.NO_LOSS],
  },
];
