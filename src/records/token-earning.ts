import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { fed, fedHundredths, fedTime, key, owner, refersTo, storingRequest, subject } from "../db/columns.ts";
import { EventId, withSummaries } from "../db/derived/summaries.ts";
import { derivedTotal } from "../db/derived/totals.ts";
import type { Kind } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { Hundredths, TotalHundredths } from "../values/decimal.ts";
import { orNull } from "../values/scalar.ts";
import { Id, mustBe } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { customer } from "./customer.ts";
import { LEVELS, memberships, NOT_A_MEMBER } from "./membership.ts";
import { store } from "./store.ts";

/** What a member earned at a store from one level of their team. Tokens may be negative. */
const record = event(
  "token_earning",
  "token_earnings",
  {
    id: key(fed(text().primaryKey(), EventId)),
    store_key: owner({ ...refersTo(store, { store_id: Id }), column: integer().notNull() }),
    customer_key: subject({ ...refersTo(customer, { customer_id: Id }), column: integer().notNull() }),
    /** The level below the member. */
    level_no: fed(integer().notNull(), z.literal(LEVELS, { error: mustBe("a level from 1 to 5") })),
    tokens: fedHundredths(Hundredths),
    earned_at: fedTime(orNull(FedTime)),
    request: storingRequest(),
  },
  {
    time: "earned_at",
    foreign: { columns: ["store_key", "customer_key"], to: memberships },
  },
);
const tokenEarnings = record.table;

/** The tokens that a member earned at a store from each level of their team. */
export const teamTokens = derivedTotal({
  events: record,
  table: memberships,
  storedAs: "columns",
  keys: { store_key: tokenEarnings.store_key, customer_key: tokenEarnings.customer_key },
  measures: Object.fromEntries(
    LEVELS.map((level) => [
      `tokens_${level}`,
      sql`${tokenEarnings.tokens} * (${tokenEarnings.level_no} = ${sql.raw(String(level))})`,
    ]),
  ),
});

export const tokenEarning = {
  ...record,
  check: [NOT_A_MEMBER],
  write: { totals: [teamTokens] },
  ...withSummaries(record, { tokens: TotalHundredths }, [
    { by: ["customer_key", "store_key", "level_no"], adds: ["tokens"] },
  ]),
} satisfies Kind;
