import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { columnNames, jsonOf, NOW, type SelectedRow, selectList } from "../../db/select.ts";
import { type Actor, isNew, isTakenBy, journalAct, takeVersion, upkeepOfActs } from "../../records/acts.ts";
import { balanceEntries, balanceEntry, customerAccounts, earningsOfCampaigns } from "../../records/balance-entry.ts";
import { campaigns } from "../../records/campaign.ts";
import { customers } from "../../records/customer.ts";
import { programState } from "../../records/program.ts";
import { stores } from "../../records/store.ts";
import { visibleStores } from "../../records/views.ts";
import { toDecimal } from "../../values/decimal.ts";
import { fromStore, hasHappened, isCovered } from "../queries.ts";
import type { EntryBody } from "./schema.ts";

/** The statements that book an entry, for `act` (docs/contract/till.md, 2). `answer` has one row. */
export function bookEntry(
  { accounts, ...entry }: EntryBody & { accounts: string | null },
  actor: { act: string } & Actor,
) {
  const { id, amount, campaign_id = null, created_at = null, minimum_balance = null } = entry;
  const values = { ...entry, ...actor, accounts, campaign_id, created_at, minimum_balance };
  const { act } = actor;
  return {
    begun: [begin(values)],
    stored: [store(values)],
    added: addToTotals({ act, id }, campaign_id === null ? [earningsOfCampaigns] : []),
    changes: [journalEntry({ ...actor, id, amount: toDecimal(amount) })],
    answer: [selectAnswer(values)],
  };
}

type Placeholders = PlaceholderOf<"act" | "accounts" | keyof EntryBody>;

const timeOf = (placeholder: Placeholders) => sql`coalesce(${placeholder("created_at")}, ${NOW})`;
const account = { balance: sql<number>`coalesce(${customerAccounts.balance}, 0)` };

/** What the database knows of the entry that is asked for, and of an entry with its id. */
function factsOf(placeholder: Placeholders) {
  const covered = (accountKey: SQL) => isCovered(accountKey, placeholder("accounts"));
  const createdAt = timeOf(placeholder);
  const idOf = (table: typeof customers | typeof stores | typeof campaigns, key: SQL) =>
    sql<string>`(SELECT named.id FROM ${table} AS named WHERE named.key = ${key})`;
  const storedAccount = sql`(SELECT place.account_key FROM ${stores} AS place WHERE place.key = ${balanceEntries.store_key})`;
  return {
    is_covered: sql<0 | 1>`(${stores.key} IS NULL OR ${covered(sql`${stores.account_key}`)})
      AND (${campaigns.key} IS NULL OR ${covered(sql`${campaigns.account_key}`)})`,
    has_store: sql<0 | 1>`${visibleStores.key} IS NOT NULL`,
    has_customer: sql<0 | 1>`${customers.key} IS NOT NULL`,
    has_campaign: sql<0 | 1>`${placeholder("campaign_id")} IS NULL OR ${campaigns.key} IS NOT NULL`,
    has_own_campaign: sql<0 | 1>`${campaigns.key} IS NULL OR ${campaigns.account_key} = ${stores.account_key}`,
    is_kept: sql<0 | 1>`${createdAt} >= ${programState.horizon}`,
    has_happened: hasHappened(createdAt),
    balance_suffices: sql<0 | 1>`${placeholder("minimum_balance")} IS NULL
      OR ${account.balance} + ${placeholder("amount")} >= ${placeholder("minimum_balance")}`,
    ...account,
    // Of the entry with this id: NULL if there is none.
    id: sql<string | null>`${balanceEntries.id}`,
    customer_id: idOf(customers, sql`${balanceEntries.customer_key}`),
    store_id: idOf(stores, sql`${balanceEntries.store_key}`),
    amount: sql<number>`${balanceEntries.amount}`,
    campaign_id: sql<string | null>`${idOf(campaigns, sql`${balanceEntries.campaign_key}`)}`,
    description: sql<string>`${balanceEntries.description}`,
    created_at: sql<string>`${balanceEntries.created_at}`,
    is_stored_covered: sql<0 | 1>`${covered(storedAccount)}`,
  };
}
export type EntryFacts = SelectedRow<ReturnType<typeof factsOf>> & { is_new: 0 | 1 };

/** `asked`: one row with the facts. */
function withFacts(placeholder: Placeholders): SQL {
  const { key, id, account_key } = stores;
  // A repetition shows the balance of the stored entry's customer, who may have been erased since.
  const holder = sql`coalesce(${balanceEntries.customer_key}, ${customers.key})`;
  return sql`WITH asked AS (
    SELECT ${selectList(factsOf(placeholder))} FROM ${programState}
    LEFT JOIN ${stores} ON ${id} = ${placeholder("store_id")}
    LEFT JOIN ${visibleStores} ON ${visibleStores.key} = ${key}
    LEFT JOIN ${customers} ON ${customers.id} = ${placeholder("customer_id")} AND ${customers.erased} = 0
    LEFT JOIN ${campaigns} ON ${campaigns.id} = ${placeholder("campaign_id")}
    LEFT JOIN ${balanceEntries} ON ${balanceEntries.id} = ${placeholder("id")}
    LEFT JOIN ${customerAccounts} ON ${customerAccounts.customer_key} = ${holder} AND ${customerAccounts.account_key} = ${account_key}
  )`;
}

// The order of `mustBePossible` (routes.ts), which says why an entry is refused.
const IS_POSSIBLE = sql`is_covered AND id IS NULL AND has_store AND has_customer AND has_campaign AND has_own_campaign
  AND is_kept AND has_happened AND balance_suffices`;

const begin = compileOnce("till/entries/begin", (placeholder: Placeholders) =>
  takeVersion(placeholder("act"), sql`EXISTS (SELECT 1 FROM asked WHERE ${IS_POSSIBLE})`, withFacts(placeholder)),
);

const store = compileOnce("till/entries/store", (placeholder: Placeholders) => {
  const { id, customer_key, store_key, amount, campaign_key, description, created_at, request } = balanceEntries;
  const columns = [id, customer_key, store_key, amount, campaign_key, description, created_at, request];
  return sql`
    INSERT INTO ${balanceEntries} (${columnNames(...columns)})
    SELECT ${placeholder("id")}, ${customers.key}, ${stores.key}, ${placeholder("amount")}, ${campaigns.key},
      ${placeholder("description")}, ${timeOf(placeholder)}, ${programState.version}
    ${fromStore(placeholder)}
    CROSS JOIN ${customers} ON ${customers.id} = ${placeholder("customer_id")}
    LEFT JOIN ${campaigns} ON ${campaigns.id} = ${placeholder("campaign_id")} WHERE ${isTakenBy(placeholder)}`;
});

const addToTotals = upkeepOfActs(balanceEntry);

const journalEntry = compileOnce(
  "till/entries/journal",
  (placeholder: PlaceholderOf<"act" | keyof Actor | "id" | "amount">) => {
    const { id, description, created_at, customer_key, store_key, campaign_key } = balanceEntries;
    const line = jsonOf({
      record: sql`'balance_entry'`,
      id,
      customer_id: sql`(SELECT ${customers.id} FROM ${customers} WHERE ${customers.key} = ${customer_key})`,
      store_id: sql`(SELECT ${stores.id} FROM ${stores} WHERE ${stores.key} = ${store_key})`,
      amount: sql`${placeholder("amount")}`,
      campaign_id: sql`(SELECT ${campaigns.id} FROM ${campaigns} WHERE ${campaigns.key} = ${campaign_key})`,
      description,
      created_at,
    });
    return journalAct(placeholder, line, sql`CROSS JOIN ${balanceEntries} ON ${id} = ${placeholder("id")}`);
  },
);

const selectAnswer = compileOnce("till/entries/answer", (placeholder: Placeholders) => {
  return sql<EntryFacts>`${withFacts(placeholder)} SELECT asked.*, ${isNew(placeholder("act"))} AS is_new FROM asked`;
});
