// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import type { Patch } from "./platform/code.ts";

/** A rule of the service that is broken on purpose, and the rule of the simulation that finds it. */
export interface Mutant extends Patch {
  breaks: string;
  seenBy: string;
}

const POLL = "a poll misses nothing";
const MODEL = "an answer is the model's, of the copy that was read";
const BOARD = "a board's age is what it says";
const BOOKMARK = "a bookmark shows what was seen with it";
const LOST = "nothing acknowledged is lost";
const RECOUNT = "what is derived equals a recount";
const TWICE = "no group comes twice";
const RECOVERY = "once faults end, all is well within 90 s";
const RETRY = "a lost connection of a read is tried again";
const PLACED = "every event is in the database, or in one segment that it names";
const REFUSED = "an event of before the horizon is refused, and nothing else";
const COMES = "every group with news comes";
const ALONE = "two runs never do the same job at once";
const FRAME = "a frame comes when its message is shown";
const NO_500 = "no answer is 500";
const TOO_MUCH = "what is too much for D1 is not repeated";
const TOLD = "a feed that is too much for D1 is told so";
const DAILY = "a daily limit ends at 00:00 UTC";

export const MUTANTS: readonly Mutant[] = [
  // Inboxes.
  {
    breaks: "an inbox remembers the time that a notification gave",
    file: "src/inbox/inbox-state.ts",
    find: "newestAt: newestAt > known ? newestAt : known, at: now",
    replace: "newestAt: known, at: now",
    seenBy: POLL,
  },
  {
    breaks: "a notification is remembered for longer than a subscription that does not know of it",
    file: "src/inbox/inbox-state.ts",
    find: "now <= notified.at + REMEMBER_MS",
    replace: "now <= notified.at + 20",
    seenBy: POLL,
  },
  {
    breaks: "a subscription does not hide what was notified",
    file: "src/inbox/inbox-state.ts",
    find: "return isOlder ? state : { ...state, subscription };",
    replace: "return isOlder ? state : { ...state, subscription, notified: null };",
    seenBy: RECOVERY,
  },
  {
    breaks: "an inbox compares the time of its subscription with that of the poll",
    file: "src/inbox/inbox-state.ts",
    find: "isSubscribed(state, now) && newestAt <= checkTime &&",
    replace: "isSubscribed(state, now) &&",
    seenBy: POLL,
  },
  {
    breaks: "what an inbox knows is stored",
    file: "src/inbox/inbox.ts",
    find: 'this.ctx.storage.kv.put("state", state);',
    replace: "",
    seenBy: FRAME,
  },
  {
    breaks: "a subscription counts messages that are not shown yet",
    file: "src/inbox/listeners.ts",
    find: 'WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(value("customerId"))}\n',
    replace:
      'WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(value("customerId"))} AND ${messageGroupNews.newest_at} < (SELECT stamp FROM program_state)\n',
    seenBy: POLL,
  },
  {
    breaks: "a subscription makes its customer a listener",
    file: "src/inbox/listeners.ts",
    find: "db.batch([listen({ customerId }), selectNewest({ customerId })])",
    replace: "db.batch([selectNewest({ customerId }), selectNewest({ customerId })])",
    seenBy: POLL,
  },
  {
    breaks: "a notification says how new its message is",
    file: "migrations/0012_messages.sql",
    find: "SELECT json_group_array(customer_key), 'messages', coalesce(NEW.newest_at, '')",
    replace: "SELECT json_group_array(customer_key), 'messages', ''",
    seenBy: POLL,
  },
  {
    breaks: "who joins a group is notified of its newest message",
    file: "migrations/0012_messages.sql",
    find: "SELECT json_array(NEW.customer_key), 'messages', coalesce(newest_at, '')",
    replace: "SELECT json_array(NEW.customer_key), 'messages', ''",
    seenBy: POLL,
  },
  {
    breaks: "a listener is one for a day",
    file: "src/inbox/listeners.ts",
    find: "${listeners.until} < ${NOW} ${limitTo(LISTENERS_AT_ONCE)}",
    replace: "${listeners.until} < (SELECT datetime(now, '+30 hours') FROM clock) ${limitTo(LISTENERS_AT_ONCE)}",
    seenBy: POLL,
  },
  {
    breaks: "only what was notified is taken out of the outbox",
    file: "src/inbox/outbox.ts",
    find: "(customerId) => !notified.has(customerId)",
    replace: "() => notified.size < 0",
    seenBy: POLL,
  },
  {
    breaks: "the schedule notifies of what is left",
    file: "src/inbox/drain.ts",
    find: "if (backlog.waiting === 0) return",
    replace: "if (backlog.waiting >= 0) return",
    seenBy: RECOVERY,
  },
  {
    breaks: "a frame is sent when its message is shown",
    file: "src/inbox/inbox.ts",
    find: "=> shownAt + MESSAGE_MARGIN_MS;",
    replace: "=> 0 * shownAt;",
    seenBy: FRAME,
  },
  {
    breaks: "a pending frame has an alarm",
    file: "src/inbox/inbox.ts",
    find: "this.#pending = addChange(this.#pending, kind, readyAt);\n    }\n    await this.#setAlarm();",
    replace: "this.#pending = addChange(this.#pending, kind, readyAt);\n    }",
    seenBy: FRAME,
  },
  {
    breaks: "a poll is answered, whatever version its inbox is of",
    file: "src/inbox/inboxes.ts",
    find: "    } catch (error) {\n",
    replace: "    } catch (error) {\n      if (error instanceof TypeError) throw error;\n",
    seenBy: NO_500,
  },
  // Messages.
  {
    breaks: "a message is shown once its second is over",
    file: "src/customer/messages/queries.ts",
    find: "WHERE ${callers} AND ${news.newest_at} < ${STAMP} AND",
    replace: "WHERE ${callers} AND ${news.newest_at} <= ${STAMP} AND",
    seenBy: MODEL,
  },
  {
    breaks: "a feed of messages is followed by a stamp that shows them",
    file: "src/inbox/notify.ts",
    find: "const last = await showMessages(db.newPrimarySession());",
    replace: "const last = `${stamp}${db.bookmark}+`;",
    seenBy: RECOVERY,
  },
  {
    breaks: "a group that gets a message moves up in each member's list",
    file: "migrations/0012_messages.sql",
    find: "AND customer_key IN (SELECT customer_key FROM message_group_members WHERE group_key = OLD.key);",
    replace: "AND customer_key IN (SELECT min(customer_key) FROM message_group_members WHERE group_key = OLD.key);",
    seenBy: MODEL,
  },
  // The database.
  {
    breaks: "a bookmark is heeded",
    file: "src/middleware/database.ts",
    find: 'await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", c.env);',
    replace: 'await verifyBookmark("", c.env);',
    seenBy: BOOKMARK,
  },
  {
    breaks: "a bookmark is passed on",
    file: "src/middleware/database.ts",
    find: 'c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, c.env));',
    replace: "await signBookmark(db.bookmark, c.env);",
    seenBy: BOOKMARK,
  },
  {
    breaks: "a read that lost its connection is sent again",
    file: "src/db/database.ts",
    find: "if (!isPassing(error) ||",
    replace: "if (isPassing(error) ||",
    seenBy: RETRY,
  },
  {
    breaks: "an answer ends the timeouts of the circuit breaker",
    file: "src/db/circuit-breaker.ts",
    find: "this.#answers += 1;\n        this.#timeouts = 0;",
    replace: "this.#answers += 1;",
    seenBy: RECOVERY,
  },
  {
    breaks: "what exceeded D1's memory at a bookmark is not sent to the primary too",
    file: "src/db/errors.ts",
    find: '["overloaded", "exceeded", "daily_limit"]',
    replace: '["overloaded", "daily_limit"]',
    seenBy: TOO_MUCH,
  },
  {
    breaks: "what exceeded D1's memory is not sent again at once",
    file: "src/db/errors.ts",
    find: '["lost", "reset"].includes(faultIn(error)) && !/exceeded/.test(error.message)',
    replace: '["lost", "reset", "exceeded"].includes(faultIn(error))',
    seenBy: TOO_MUCH,
  },
  {
    breaks: "a daily limit is waited for until 00:00 UTC",
    file: "src/http/errors.ts",
    find: "MINUTE_SECONDS : DAY_SECONDS - secondOfDay",
    replace: "MINUTE_SECONDS : MINUTE_SECONDS + 0 * secondOfDay",
    seenBy: DAILY,
  },
  {
    breaks: "a daily limit that ends a moment late is not waited for all day",
    file: "src/http/errors.ts",
    find: "secondOfDay < MINUTE_SECONDS ?",
    replace: "secondOfDay < 0 ?",
    seenBy: DAILY,
  },
  // Boards.
  {
    breaks: "a board is of the primary",
    file: "src/app.ts",
    find: 'app.use("/api/v1/customer/gamification/leaderboard", database("primary"));',
    replace: "",
    seenBy: BOARD,
  },
  // The feed.
  {
    breaks: "a message that is deleted loses its body",
    file: "src/feed/records/message.ts",
    find: "SET body = '' WHERE",
    replace: "SET body = body WHERE",
    seenBy: LOST,
  },
  {
    breaks: "a feed beyond D1's memory is told to send fewer lines",
    file: "src/feed/refusals.ts",
    find: 'databaseFaultOf(error) === "exceeded"',
    replace: 'databaseFaultOf(error) === "full"',
    seenBy: TOLD,
  },
  {
    breaks: "an event counts once",
    file: "src/feed/records/statements.ts",
    find: 'stored WHERE stored.id = ${columnValue(kind, "id")}',
    replace: "stored WHERE stored.id IS NULL",
    seenBy: RECOUNT,
  },
  {
    breaks: "what was not committed is not acknowledged",
    file: "src/feed/queries.ts",
    find: "throw refusalOf(error, { faults: checks.faults, batches });",
    replace: `const refusal = refusalOf(error, { faults: checks.faults, batches });
    if (refusal === error) return { ignored: 0, version: 1, forListeners: { changes: [], unshown: null } };
    throw refusal;`,
    seenBy: LOST,
  },
  // History.
  {
    breaks: "an object is there before its events leave",
    file: "src/history/seal.ts",
    find: "const free = await putOnce(settings.bucket, content, { folder, number });",
    replace: "const free = number;\n  void putOnce(settings.bucket, content, { folder, number }).catch(() => {});",
    seenBy: PLACED,
  },
  {
    breaks: "what leaves is added to its summaries",
    file: "src/history/queries.ts",
    find: "added: summaries.map(",
    replace: "added: summaries.slice(1).map(",
    seenBy: MODEL,
  },
  {
    breaks: "nothing is deleted that the object does not have",
    file: "src/history/queries.ts",
    find: "DELETE FROM ${sql.raw(table)} WHERE ${leave}`],",
    replace: "DELETE FROM ${sql.raw(table)} WHERE ${leave} OR (id = ${step.lastId} AND ${sql.raw(when)})`],",
    seenBy: LOST,
  },
  {
    breaks: "a message that its group shows stays",
    file: "src/feed/records/message.ts",
    find: "iif(id IS NULL, 'never', earlier_at)",
    replace: "'never'",
    seenBy: RECOUNT,
  },
  {
    breaks: "an event of before the horizon is refused",
    file: "src/feed/lines.ts",
    find: "if (horizon !== null && !deletes",
    replace: 'if (horizon === "" && !deletes',
    seenBy: REFUSED,
  },
  {
    breaks: "entries that left between two pages are not counted twice",
    file: "src/customer/me/entries/queries.ts",
    find: "if (after !== undefined && after.left !== left) return",
    replace: "if (after !== undefined && after.left > left) return",
    seenBy: "entries add up to balances",
  },
  // The schedule.
  {
    breaks: "a job that a run has is nobody else's",
    file: "src/service/queries.ts",
    find: "AND ${dueAt} <= ${NOW} AND ${leaseUntil} <= ${NOW}",
    replace: "AND ${dueAt} <= ${NOW}",
    seenBy: ALONE,
  },
  // The client.
  {
    breaks: "a group that was dealt with does not come again",
    file: "src/client/poll.ts",
    find: "found.filter((group) => !isDealtWith(group, from)).reverse();",
    replace: "[...found].reverse();",
    seenBy: TWICE,
  },
  {
    breaks: "other groups of the second of the last one come",
    file: "src/client/poll.ts",
    find: "secondBefore(from.last_message_time);",
    replace: "from.last_message_time;",
    seenBy: COMES,
  },
];
