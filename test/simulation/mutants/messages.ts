// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const MESSAGES_MUTANTS: readonly Mutant[] = [
  {
    breaks: "a group that gets a message moves up in each member's list",
    file: "migrations/0012_messages.sql",
    find: "AND customer_key IN (SELECT customer_key FROM message_group_members WHERE group_key = OLD.key);",
    replace: "AND customer_key IN (SELECT min(customer_key) FROM message_group_members WHERE group_key = OLD.key);",
    foundBy: [RULES.MODEL],
  },
  {
    breaks: "a message is shown once its second is over",
    file: "src/customer/messages/queries.ts",
    find: "WHERE ${isOfCaller} AND ${news.newest_at} < ${STAMP} AND",
    replace: "WHERE ${isOfCaller} AND ${news.newest_at} <= ${STAMP} AND",
    foundBy: [RULES.MODEL],
  },
  {
    breaks: "a feed of messages is followed by a stamp that shows them",
    file: "src/inbox/message-clock.ts",
    find: "withTimeout(endsAt - performance.now(), showMessages(session));",
    replace: "withTimeout(endsAt - performance.now(), Promise.resolve(`${stamp}+`));",
    foundBy: [RULES.RECOVERY, RULES.FRESH, RULES.FRAME],
  },
  {
    breaks: "a message that is deleted loses its body",
    file: "src/records/message.ts",
    find: "SET ${columnNames(body)} = '' WHERE",
    replace: "SET ${columnNames(body)} = ${body} WHERE",
    foundBy: [RULES.NO_LOSS, RULES.MODEL],
  },
  {
    breaks: "a message that its group shows is not deleted",
    file: "src/records/message.ts",
    find: "iif(${messageGroups.id} IS NULL, 'never', ${messageGroups.earlier_at})",
    replace: "'never'",
    foundBy: [RULES.RECOUNT],
  },
];
