import * as RULES from "../rules/names.ts";
import type { Mutant } from "./mutant.ts";

export const DATABASE_MUTANTS: readonly Mutant[] = [
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
    find: 'router.use("/api/v1/customer/gamification/leaderboard", databaseAtPrimary);',
    replace: "",
    foundBy: [RULES.BOARD, RULES.BOOKMARK],
  },
  {
    breaks: "no two runs have the same job",
    file: "src/service/queries.ts",
    find: "lte(jobs.due_at, NOW), lte(jobs.lease_until, NOW)",
    replace: "lte(jobs.due_at, NOW)",
    foundBy: [RULES.ONE_RUN],
  },
];
