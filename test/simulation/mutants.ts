// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import type { Patch } from "./platform/code.ts";
import * as RULES from "./rules/names.ts";

/** A change that breaks a rule of the service on purpose. */
interface Mutant extends Patch {
  /** The rule that the change breaks. */
  breaks: string;
  /** The rules of the simulation that may find it: any of them may come first. */
  foundBy: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    breaks: "an inbox remembers the time that a notification gave",
    file: "src/inbox/inbox-state.ts",
    find: "newestAt: newestAt > known ? newestAt : known, at: now",
    replace: "newestAt: known, at: now",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a notification is remembered for longer than a subscription that does not know of it",
    file: "src/inbox/inbox-state.ts",
    find: "now <= notified.at + REMEMBER_MS",
    replace: "now <= notified.at + 20",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a subscription does not hide what was notified",
    file: "src/inbox/inbox-state.ts",
    find: "return isOlder ? state : { ...state, subscription };",
    replace: "return isOlder ? state : { ...state, subscription, notified: null };",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "an inbox compares the time of its subscription with that of the poll",
    file: "src/inbox/inbox-state.ts",
    find: "isSubscribed(state, now) && newestAt <= checkTime &&",
    replace: "isSubscribed(state, now) &&",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "an inbox stores its state",
    file: "src/inbox/inbox.ts",
    find: 'this.ctx.storage.kv.put("state", state);',
    replace: "",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a frame is sent when its message is shown",
    file: "src/inbox/inbox.ts",
    find: "=> shownAt + MESSAGE_MARGIN_MS;",
    replace: "=> 0 * shownAt;",
    foundBy: [RULES.FRAME],
  },
  {
    breaks: "a pending frame has an alarm",
    file: "src/inbox/inbox.ts",
    find: "this.#pendingChanges = addChange(this.#pendingChanges, kind, readyAt);\n    }\n    await this.#setAlarm();",
    replace: "this.#pendingChanges = addChange(this.#pendingChanges, kind, readyAt);\n    }",
    foundBy: [RULES.FRAME],
  },
  {
    breaks: "a subscription counts messages that are not shown yet",
    file: "src/inbox/listeners.ts",
    find: 'WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(placeholder("customerId"))}\n',
    replace:
      'WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(placeholder("customerId"))} AND ${messageGroupNews.newest_at} < (SELECT stamp FROM program_state)\n',
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a subscription makes its customer a listener",
    file: "src/inbox/listeners.ts",
    find: "db.batch([listen({ customerId }), selectNewest({ customerId })])",
    replace: "db.batch([selectNewest({ customerId }), selectNewest({ customerId })])",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a listener stays one for a day",
    file: "src/inbox/listeners.ts",
    find: "${listeners.until} < ${NOW} ${limitTo(LISTENERS_AT_ONCE)}",
    replace: "${listeners.until} < (SELECT datetime(now, '+30 hours') FROM clock) ${limitTo(LISTENERS_AT_ONCE)}",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a notification says how new its message is",
    file: "migrations/0012_messages.sql",
    find: "SELECT json_group_array(customer_key), 'messages', coalesce(NEW.newest_at, '')",
    replace: "SELECT json_group_array(customer_key), 'messages', ''",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a customer who joins a group is notified of its newest message",
    file: "migrations/0012_messages.sql",
    find: "SELECT json_array(NEW.customer_key), 'messages', coalesce(newest_at, '')",
    replace: "SELECT json_array(NEW.customer_key), 'messages', ''",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "a group that gets a message moves up in each member's list",
    file: "migrations/0012_messages.sql",
    find: "AND customer_key IN (SELECT customer_key FROM message_group_members WHERE group_key = OLD.key);",
    replace: "AND customer_key IN (SELECT min(customer_key) FROM message_group_members WHERE group_key = OLD.key);",
    foundBy: [RULES.MODEL],
  },
  {
    breaks: "only changes of notified listeners leave the outbox",
    file: "src/inbox/outbox.ts",
    find: "(customerId) => !notified.has(customerId)",
    replace: "() => notified.size < 0",
    foundBy: [RULES.POLL],
  },
  {
    breaks: "the schedule notifies of the changes that are left in the outbox",
    file: "src/inbox/drain.ts",
    find: "if (backlog.waiting === 0) return",
    replace: "if (backlog.waiting >= 0) return",
    foundBy: [RULES.RECOVERY],
  },
  {
    breaks: "a poll is answered, whatever version its inbox runs",
    file: "src/inbox/inboxes.ts",
    find: "    } catch (error) {\n",
    replace: "    } catch (error) {\n      if (error instanceof TypeError) throw error;\n",
    foundBy: [RULES.NO_500],
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
    file: "src/inbox/notify.ts",
    find: "const last = await showMessages(db.newPrimarySession());",
    replace: "const last = `${stamp}${db.bookmark}+`;",
    foundBy: [RULES.RECOVERY],
  },
  {
    breaks: "a request's bookmark is used",
    file: "src/middleware/database.ts",
    find: 'await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", c.env);',
    replace: 'await verifyBookmark("", c.env);',
    foundBy: [RULES.BOOKMARK],
  },
  {
    breaks: "a bookmark is passed on",
    file: "src/middleware/database.ts",
    find: 'c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, c.env));',
    replace: "await signBookmark(db.bookmark, c.env);",
    foundBy: [RULES.BOOKMARK],
  },
  {
    breaks: "a read that lost its connection is sent again",
    file: "src/db/database.ts",
    find: "if (!isTransient(error) ||",
    replace: "if (error instanceof Error ||",
    foundBy: [RULES.RETRY],
  },
  {
    breaks: "an answer ends the timeouts of the circuit breaker",
    file: "src/db/circuit-breaker.ts",
    find: "this.#answers += 1;\n        this.#timeouts = 0;",
    replace: "this.#answers += 1;",
    foundBy: [RULES.RECOVERY],
  },
  {
    breaks: "a read at a bookmark that exceeded D1's memory is not sent to the primary",
    file: "src/db/errors.ts",
    find: '["overloaded", "exceeded", "daily_limit"]',
    replace: '["overloaded", "daily_limit"]',
    foundBy: [RULES.NO_RETRY],
  },
  {
    breaks: "a batch that exceeded D1's memory is not sent again at once",
    file: "src/db/errors.ts",
    find: '["lost", "reset"].includes(faultIn(error)) && !/exceeded/.test(error.message)',
    replace: '["lost", "reset", "exceeded"].includes(faultIn(error))',
    foundBy: [RULES.NO_RETRY],
  },
  {
    breaks: "a client waits for the end of a daily limit until 00:00 UTC",
    file: "src/http/errors.ts",
    find: "MINUTE_SECONDS : DAY_SECONDS - secondOfDay",
    replace: "MINUTE_SECONDS : MINUTE_SECONDS + 0 * secondOfDay",
    foundBy: [RULES.DAILY_LIMIT],
  },
  {
    breaks: "a client does not wait all day for a daily limit that ends a moment late",
    file: "src/http/errors.ts",
    find: "secondOfDay < MINUTE_SECONDS ?",
    replace: "secondOfDay < 0 ?",
    foundBy: [RULES.DAILY_LIMIT],
  },
  {
    breaks: "a board is read from the primary",
    file: "src/app.ts",
    find: 'app.use("/api/v1/customer/gamification/leaderboard", database("primary"));',
    replace: "",
    foundBy: [RULES.BOARD, RULES.BOOKMARK],
  },
  {
    breaks: "a message that is deleted loses its body",
    file: "src/feed/records/message.ts",
    find: "SET body = '' WHERE",
    replace: "SET body = body WHERE",
    foundBy: [RULES.NO_LOSS, RULES.MODEL],
  },
  {
    breaks: "a message that its group shows does not leave for history",
    file: "src/feed/records/message.ts",
    find: "iif(id IS NULL, 'never', earlier_at)",
    replace: "'never'",
    foundBy: [RULES.RECOUNT],
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
    file: "src/feed/records/statements.ts",
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
  {
    breaks: "a segment's object is written before its events are deleted",
    file: "src/history/queries.ts",
    find: "const writtenNumber = await putOnce(bucket, content, { folder, number: firstNumber });",
    replace:
      "const writtenNumber = firstNumber;\n  void putOnce(bucket, content, { folder, number: firstNumber }).catch(() => {});",
    foundBy: [RULES.ONE_PLACE],
  },
  {
    breaks: "events that leave are added to their summaries",
    file: "src/history/queries.ts",
    find: "added: summaries.map(",
    replace: "added: summaries.slice(1).map(",
    foundBy: [RULES.RECOUNT, RULES.ENTRIES],
  },
  {
    breaks: "only events that the object has are deleted",
    file: "src/history/queries.ts",
    find: "DELETE FROM ${sql.raw(table)} WHERE ${leave}`],",
    replace: "DELETE FROM ${sql.raw(table)} WHERE ${leave} OR (id = ${end.lastId} AND ${sql.raw(when)})`],",
    foundBy: [RULES.NO_LOSS, RULES.ENTRIES],
  },
  {
    breaks: "an event from before the horizon is refused",
    file: "src/feed/lines.ts",
    find: "if (!deletes && isBefore(horizon,",
    replace: "if (!deletes && isBefore(null,",
    foundBy: [RULES.OLD_EVENTS],
  },
  {
    breaks: "the list of entries includes those that have left",
    file: "src/customer/me/entries/queries.ts",
    find: "WHERE ${isSummaryOf(customerKey)} AND NOT EXISTS",
    replace: "WHERE 1 = 0 AND NOT EXISTS",
    foundBy: [RULES.ENTRIES],
  },
  {
    breaks: "no two runs have the same job",
    file: "src/service/queries.ts",
    find: "AND ${dueAt} <= ${NOW} AND ${leaseUntil} <= ${NOW}",
    replace: "AND ${dueAt} <= ${NOW}",
    foundBy: [RULES.ONE_RUN],
  },
  {
    breaks: "a client receives no group twice",
    file: "src/client/poll.ts",
    find: "found.filter((group) => !isDealtWith(group, from)).reverse();",
    replace: "[...found].reverse();",
    foundBy: [RULES.NO_REPEAT],
  },
  {
    breaks: "a client also receives the other groups of the last group's second",
    file: "src/client/poll.ts",
    find: "secondBefore(from.last_message_time);",
    replace: "from.last_message_time;",
    foundBy: [RULES.FRAME, RULES.ALL_GROUPS],
  },
];
