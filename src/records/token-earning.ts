import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import {
  byDatabase,
  fed,
  fedHundredths,
  fedTime,
  key,
  owner,
  refersTo,
  storingRequest,
  subject,
} from "../db/columns.ts";
import { EventId, withSummaries } from "../db/derived/summaries.ts";
import { derivedTotal } from "../db/derived/totals.ts";
import type { Kind } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { Hundredths, TotalHundredths } from "../values/decimal.ts";
import { orNull } from "../values/scalar.ts";
import { Id, mustBe } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { currentMember, customer, customerIdOf, Life, lifeIn, lifeOf, memberIn } from "./customer.ts";
import { LEVELS, memberships, notAMember } from "./membership.ts";
import { store } from "./store.ts";

/**
 * The key in teams of who earns: of the current life. But an event that undoes another says the life of that event, as an
 * export does.
 */
const MEMBER_KEY = sql`iif(
  line.id GLOB 'undo:*', ${memberIn(sql`line.customer_key`, sql`line.life`)}, ${currentMember(sql`line.customer_key`)}
)`;

/** What a member earned at a store from one level of their team. Tokens may be negative. */
const record = event(
  "token_earning",
  "token_earnings",
  {
    id: key(fed(text().primaryKey(), EventId)),
    store_key: owner({ ...refersTo(store, { store_id: Id }), column: integer().notNull() }),
    member_key: {
      ...refersTo(customer, { customer_id: Id, life: Life }),
      column: integer().notNull(),
      keyOnLine: "customer_key",
      value: MEMBER_KEY,
    },
    customer_key: subject(byDatabase(integer())),
    /** The level below the member. */
    level_no: fed(integer().notNull(), z.literal(LEVELS, { error: mustBe("a level from 1 to 5") })),
    tokens: fedHundredths(Hundredths),
    earned_at: fedTime(orNull(FedTime)),
    request: storingRequest(),
  },
  {
    time: "earned_at",
    foreign: { columns: ["store_key", "member_key"], to: memberships },
    moreLineFields: ["life"],
    correction: "one with the opposite tokens",
  },
);
const tokenEarnings = record.table;

/** The tokens that a member earned at a store from each level of their team. */
export const teamTokens = derivedTotal({
  events: record,
  table: memberships,
  storedAs: "columns",
  keys: { store_key: tokenEarnings.store_key, member_key: tokenEarnings.member_key },
  measures: Object.fromEntries(
    LEVELS.map((level) => [
      `tokens_${level}`,
      sql`${tokenEarnings.tokens} * (${tokenEarnings.level_no} = ${sql.raw(String(level))})`,
    ]),
  ),
});

const RESTORED_KEY = memberIn(sql`line.customer_key`, sql`line.life`);
const columns = { ...record.columns, member_key: { ...record.columns.member_key, value: RESTORED_KEY } };
const { retention, restored } = withSummaries({ ...record, columns }, { tokens: TotalHundredths }, [
  { by: ["member_key", "store_key", "level_no"], adds: ["tokens"] },
]);

export const tokenEarning = {
  ...record,
  check: [notAMember(MEMBER_KEY)],
  write: { totals: [teamTokens] },
  read: {
    fields: {
      customer_id: { sql: customerIdOf(tokenEarnings.customer_key) },
      life: lifeIn(lifeOf(tokenEarnings.member_key)),
    },
  },
  retention,
  restored: {
    ...restored,
    columns: { ...restored.columns, member_key: columns.member_key },
    check: [notAMember(RESTORED_KEY)],
  },
} satisfies Kind;
