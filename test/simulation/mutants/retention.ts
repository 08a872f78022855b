// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const RETENTION_MUTANTS: readonly Mutant[] = [
  {
    breaks: "a step of retention has its row in the journal",
    file: "src/retention/queries.ts",
    find: "WHERE ${kind} = ${record} AND ${deleted} > 0`",
    replace: "WHERE false`",
    foundBy: [RULES.JOURNAL],
  },
  {
    breaks: "old events are added to their summaries",
    file: "src/retention/queries.ts",
    find: "added: summaries.map(",
    replace: "added: summaries.slice(1).map(",
    foundBy: [RULES.RECOUNT, RULES.ENTRIES],
  },
  {
    breaks: "only old events are deleted",
    file: "src/retention/queries.ts",
    find: "DELETE FROM ${from} WHERE ${isOfStep}`]",
    replace:
      "DELETE FROM ${from} WHERE ${isOfStep} OR id = (SELECT ${last_id} FROM ${retentionProgress} WHERE ${kind} = ${record})`]",
    foundBy: [RULES.NO_LOSS, RULES.RECOUNT, RULES.ENTRIES],
  },
  {
    breaks: "a greater RETENTION_MONTHS does not move the horizon back",
    file: "src/retention/queries.ts",
    find: "max(${horizon}, ${begunWith})",
    replace: "${begunWith}",
    foundBy: [RULES.HORIZON],
  },
  {
    breaks: "an event from before the horizon is refused",
    file: "src/feed/apply/checks.ts",
    find: "FROM ${programState} WHERE ${horizon} > ${oldest}`",
    replace: "FROM ${programState} WHERE ${horizon} > ${oldest} AND 1 = 0`",
    foundBy: [RULES.OLD_EVENTS],
  },
  {
    breaks: "the list of entries includes those that were added up",
    file: "src/customer/me/entries/queries.ts",
    find: "WHERE ${isSummaryOf(customerKey)} AND NOT EXISTS",
    replace: "WHERE 1 = 0 AND NOT EXISTS",
    foundBy: [RULES.ENTRIES],
  },
];
