import { lt, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { atMost, named, query } from "../../db/query.ts";
import { columnNames, fromNow, NOW, pick, select } from "../../db/select.ts";
import { outbox, tillHolds } from "../../db/tables.ts";
import { changesWhere, isNew, isTakenBy, markVersion, versionOf } from "../../records/acts.ts";
import { customerIdOf } from "../../records/customer.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { programState } from "../../records/program.ts";
import { redemptions } from "../../records/redemption.ts";
import { stores } from "../../records/store.ts";
import { heldCouponChecks } from "../../records/views.ts";
import { REDEMPTION_CHECKS } from "../coupons/checks.ts";
import { type CouponFacts, checksOfHeld, withCouponFacts } from "../coupons/queries.ts";
import { fromStore, isCovered } from "../queries.ts";
import type { HoldBody } from "./schema.ts";

// Holds are no records: no export has them, so they take no version and have no line in the journal.

const { id, customer_coupon_key, store_key, held_until, state } = tillHolds;
const COLUMNS = columnNames(id, customer_coupon_key, store_key, held_until, state);

/** A hold takes no version: of the changes of the current version, only that of the customer of its coupon is its own. */
const selectChanges = compileOnce("till/holds/changes", (placeholder: PlaceholderOf<"act" | "id">) => {
  const customers = sql`(
    SELECT json_array(${customerIdOf(customerCoupons.customer_key)}) FROM ${tillHolds}
    CROSS JOIN ${customerCoupons} ON ${customerCoupons.id} = ${customer_coupon_key}
    WHERE ${id} = ${placeholder("id")}
  )`;
  const isOwn = sql`${outbox.version} = ${versionOf(placeholder("act"))} AND ${outbox.topic} = 'coupons'
    AND ${outbox.customers} = ${customers}`;
  return select({ changes: changesWhere(isOwn) }, sql``);
});

/** The statements that hold a use of a coupon, for `act` (docs/contract/till.md, 2). `answer` has one row. */
export function hold(asked: HoldBody & { accounts: string | null }, { act }: { act: string }) {
  const values = { ...asked, act };
  return {
    begun: [begin(values)],
    stored: [store(values)],
    changes: [selectChanges(values)],
    answer: [selectAnswer(values)],
  };
}

export type HoldFacts = CouponFacts & { is_new: 0 | 1 };

type Placeholders = PlaceholderOf<"act" | "accounts" | keyof HoldBody>;

const withFacts = (placeholder: Placeholders) => withCouponFacts(placeholder, placeholder("customer_coupon_id"));

const begin = compileOnce("till/holds/begin", (placeholder: Placeholders) => {
  const isPossible = sql.raw(
    ["is_covered AND stored_id IS NULL AND hold_id IS NULL AND has_store", ...REDEMPTION_CHECKS].join(" AND "),
  );
  return markVersion(placeholder("act"), sql`EXISTS (SELECT 1 FROM asked WHERE ${isPossible})`, withFacts(placeholder));
});

const store = compileOnce(
  "till/holds/store",
  (placeholder: Placeholders) => sql`
    INSERT INTO ${tillHolds} (${COLUMNS})
    SELECT ${placeholder("id")}, ${heldCouponChecks.id}, ${stores.key},
      min(datetime(${NOW}, ${placeholder("seconds")} || ' seconds'), ${heldCouponChecks.own_ends_at}, ${heldCouponChecks.coupon_ends_at}),
      'held'
    ${fromStore(placeholder)}
    CROSS JOIN ${checksOfHeld(placeholder("customer_coupon_id"))} WHERE ${isTakenBy(placeholder)}`,
);

const selectAnswer = compileOnce(
  "till/holds/answer",
  (placeholder: Placeholders) =>
    sql<HoldFacts>`${withFacts(placeholder)} SELECT asked.*, ${isNew(placeholder("act"))} AS is_new FROM asked`,
);

interface Freeing {
  id: string;
  /** Those that the token covers: JSON, or null for all. */
  accounts: string | null;
  stores: string | null;
}

/** The statements that free a hold, for `act`. They leave its id used, so that a hold that arrives later is not taken. */
export function free(asked: Freeing, { act }: { act: string }) {
  const values = { ...asked, act };
  return {
    begun: [beginFreeing(values)],
    freed: [freeHold(values)],
    changes: [selectChanges(values)],
    answer: [selectFreed(values)],
  };
}

const IS_LIVE = sql`${state} = 'held' AND ${held_until} >= ${NOW}`;
/** Whether a redemption has taken the id. */
const isRedeemed = (placeholder: PlaceholderOf<"id">) =>
  sql<
    0 | 1
  >`EXISTS (SELECT 1 FROM ${redemptions} WHERE ${redemptions.id} = ${placeholder("id")} AND ${redemptions.reverses} IS NULL)`;

/** Whether the token covers the store of a hold. A hold that was freed before it arrived has none. */
function isStoreCovered(placeholder: PlaceholderOf<"accounts" | "stores">) {
  return sql<0 | 1>`${store_key} IS NULL OR EXISTS (
    SELECT 1 FROM ${stores} WHERE ${stores.key} = ${store_key} AND ${isCovered(stores.account_key, placeholder("accounts"))}
      AND (${placeholder("stores")} IS NULL OR ${stores.id} IN (SELECT value FROM json_each(${placeholder("stores")})))
  )`;
}

type FreePlaceholders = PlaceholderOf<"act" | keyof Freeing>;

const beginFreeing = compileOnce("till/holds/begin-freeing", (placeholder: FreePlaceholders) => {
  const ofId = sql`FROM ${tillHolds} WHERE ${id} = ${placeholder("id")}`;
  const isLive = sql`EXISTS (SELECT 1 ${ofId} AND ${IS_LIVE} AND (${isStoreCovered(placeholder)}))`;
  const isOfEvent = sql`EXISTS (SELECT 1 FROM ${redemptions} WHERE ${redemptions.id} = ${placeholder("id")})`;
  const isUnused = sql`NOT EXISTS (SELECT 1 ${ofId}) AND NOT ${isOfEvent}`;
  return markVersion(placeholder("act"), sql`${isLive} OR (${isUnused})`);
});

const freeHold = compileOnce(
  "till/holds/free",
  (placeholder: FreePlaceholders) => sql`
    INSERT INTO ${tillHolds} (${COLUMNS})
    SELECT ${placeholder("id")}, NULL, NULL, ${NOW}, 'freed' FROM ${programState} WHERE ${isTakenBy(placeholder)}
    ON CONFLICT (${columnNames(id)}) DO UPDATE SET ${columnNames(state)} = 'freed'`,
);

const selectFreed = compileOnce("till/holds/freed", (placeholder: FreePlaceholders) => {
  const freed = sql<0 | 1>`coalesce(${state} = 'freed' AND ${customer_coupon_key} IS NOT NULL, 0)`;
  return select(
    { is_covered: isStoreCovered(placeholder), freed, redeemed: isRedeemed(placeholder) },
    sql`FROM ${programState} LEFT JOIN ${tillHolds} ON ${id} = ${placeholder("id")}`,
  );
});

const HOLDS_AT_ONCE = 10_000;

const deleteEnded = compileOnce("till/holds/ended", () => {
  const ended = query
    .select(pick(tillHolds, "id"))
    .from(tillHolds)
    .where(lt(held_until, fromNow("-1 day")))
    .limit(atMost(HOLDS_AT_ONCE));
  return query
    .delete(tillHolds)
    .where(sql`${id} IN (${ended})`)
    .returning(named(pick(tillHolds, "id")));
});

/** Removes holds that ended a day ago. `isDone`: none are left. */
export async function removeEndedHolds(db: Database): Promise<{ removed: number; isDone: boolean }> {
  const { ended } = await db.write({ ended: [deleteEnded()] });
  return { removed: ended.length, isDone: ended.length < HOLDS_AT_ONCE };
}
