import { sql } from "drizzle-orm";
import { couponListStatement, toCouponList } from "../../../customer/coupons/queries.ts";
import type { BEGINNING } from "../../../customer/coupons/valid-coupons.ts";
import { compileOnce, type PlaceholderOf } from "../../../db/compile.ts";
import type { Database } from "../../../db/database.ts";
import { select } from "../../../db/select.ts";
import type { Page } from "../../../http/paging.ts";
import { programState } from "../../../records/program.ts";
import { stores } from "../../../records/store.ts";
import { visibleCustomers, visibleStores } from "../../../records/views.ts";
import { isCovered } from "../../queries.ts";

interface TillCouponsQuery {
  customerId: string;
  storeId: string;
  /** Those that the token covers: JSON, or null for all. */
  accounts: string | null;
  page: Page<typeof BEGINNING>;
}

/**
 * The store and mfg coupons of the account of a store that the customer holds: a page of those that are valid, and those that
 * were used up or have ended (docs/contract/till.md, 2). One round trip.
 */
export async function findTillCoupons(db: Database, { customerId, storeId, accounts, page }: TillCouponsQuery) {
  const query = {
    customerId,
    filter: { kinds: ["store", "mfg"] as const, tillStoreId: storeId },
    page,
    accounts: null,
  };
  const [[place], valid, ended] = await db.batch([
    selectPlace({ customerId, storeId, accounts }),
    couponListStatement(query, "of a till"),
    couponListStatement(query, "ended"),
  ]);
  return { place, valid: toCouponList(valid), ended: toCouponList(ended) };
}

const selectPlace = compileOnce(
  "till/customers/place",
  (placeholder: PlaceholderOf<"customerId" | "storeId" | "accounts">) =>
    select(
      {
        is_covered: sql<0 | 1>`${stores.key} IS NULL OR ${isCovered(stores.account_key, placeholder("accounts"))}`,
        has_store: sql<0 | 1>`${visibleStores.key} IS NOT NULL`,
        has_customer: sql<0 | 1>`${visibleCustomers.key} IS NOT NULL`,
      },
      sql`FROM ${programState} LEFT JOIN ${stores} ON ${stores.id} = ${placeholder("storeId")}
        LEFT JOIN ${visibleStores} ON ${visibleStores.key} = ${stores.key}
        LEFT JOIN ${visibleCustomers} ON ${visibleCustomers.id} = ${placeholder("customerId")}`,
    ),
);
