// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const OWN_STATE_MUTANTS: readonly Mutant[] = [
  {
    breaks: "a customer's mark never moves back",
    file: "src/customer/messages/state/queries.ts",
    find: "nullif(max(coalesce(${read_at}, ''), coalesce(min(${placeholder(\"read_up_to\")}, shown.at), '')), '') AS",
    replace: 'coalesce(min(${placeholder("read_up_to")}, shown.at), ${read_at}) AS',
    foundBy: [RULES.OWN_STATE],
  },
  {
    breaks: "a mark is at most the time of the last message",
    file: "src/customer/messages/state/queries.ts",
    find: "coalesce(min(${placeholder(\"read_up_to\")}, shown.at), '')",
    replace: "coalesce(${placeholder(\"read_up_to\")}, '')",
    foundBy: [RULES.OWN_STATE],
  },
  {
    breaks: "a repeated mark takes no version",
    file: "src/customer/messages/state/queries.ts",
    find: "FROM mark WHERE (read_at, disabled) IS NOT (old_read_at, coalesce(old_disabled, 0))",
    replace: "FROM mark",
    foundBy: [RULES.OWN_ONCE],
  },
  {
    breaks: "a customer's mark has its row in the journal",
    file: "src/customer/messages/state/queries.ts",
    find: "changes: [journalState(values)]",
    replace: "changes: []",
    foundBy: [RULES.OWN_JOURNAL],
  },
  {
    breaks: "the line of a mark is the whole record",
    file: "src/customer/messages/state/queries.ts",
    find: "    read_at,\n    notifications_disabled,\n  });",
    replace: "    read_at,\n  });",
    foundBy: [RULES.OWN_JOURNAL],
  },
  {
    breaks: "the line of an unblocking deletes",
    file: "src/customer/blocks/queries.ts",
    find: "  line: { deleted: sql`json('true')` },\n",
    replace: "  line: {},\n",
    foundBy: [RULES.OWN_JOURNAL],
  },
  {
    breaks: "an unblocking of nobody takes no version",
    file: "src/customer/blocks/queries.ts",
    find: "  isChange: isBlocked,\n",
    replace: "  isChange: (placeholder) => sql`${otherOf(placeholder)} IS NOT NULL`,\n",
    foundBy: [RULES.OWN_ONCE],
  },
  {
    breaks: "the customer's other devices are told",
    file: "src/records/own-acts.ts",
    find: "    WHERE ${isTakenBy(placeholder)}`,\n);",
    replace: "    WHERE false`,\n);",
    foundBy: [RULES.OWN_TOLD],
  },
  {
    breaks: "a follower of the changes has what customers write",
    file: "src/feed/changes/queries.ts",
    find: "WHERE ${line} IS NOT NULL AND ${isCovered}",
    replace: "WHERE ${line} IS NOT NULL AND ${source} = 'till' AND ${isCovered}",
    foundBy: [RULES.OWN_CHANGES],
  },
];
