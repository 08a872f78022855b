import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, writtenOnce } from "../../db/database.ts";
import { friendStatus } from "../../db/friend-status.ts";
import { joinStoresOf } from "../../db/set-aside.ts";
import { accounts, blocks, campaigns, customers, registrations, stores } from "../../db/tables.ts";
import { askForWords, askForWordsOrMarks, findWords } from "../../db/word-search.ts";
import { type JsonText, jsonObject, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import { isRunning } from "../campaigns/queries.ts";
import {
  type CampaignDetails,
  KINDS,
  type SearchCampaign,
  type SearchCustomer,
  type SearchKind,
  type SearchStore,
} from "./schema.ts";

export interface FullSearch {
  /** Folded, each once. */
  words: readonly string[];
  /** What to search; the other lists stay empty. */
  kinds: readonly SearchKind[];
  /** Who asks. */
  customerId: string;
}

/** What was found, each record as its JSON text. */
export interface Found {
  stores: JsonText[];
  customers: JsonText[];
  campaigns: JsonText[];
}

const FOUND_LIMIT = 20;

/**
 * The records of which some word begins with each word asked for (decisions.md, section 4): first those that hold
 * every word whole, then the others, each in the order first stored. One round trip; none for no words.
 */
export async function searchAll(db: Database, { words, kinds, customerId }: FullSearch): Promise<Found> {
  if (words.length === 0) return { stores: [], customers: [], campaigns: [] };
  const asked = KINDS.filter((kind) => kinds.includes(kind));
  const values = { words: JSON.stringify(words), caller: customerId };
  const results = await db.batch(asked.map((kind) => SEARCHES[kind](values)));
  const rowsOf = (kind: SearchKind) => results[asked.indexOf(kind)] ?? [];
  return {
    stores: (rowsOf("stores") as unknown as StoreRow[]).map(({ account, ...store }) =>
      withMember(store, "account", storedJson(account)),
    ),
    customers: (rowsOf("customers") as unknown as SearchCustomer[]).map((one) => toJson(one)),
    campaigns: (rowsOf("campaigns") as unknown as CampaignRow[]).map(({ account, details, ...campaign }) =>
      merge(toJson(campaign), storedJson(details), jsonObject({ account: storedJson(account) })),
    ),
  };
}

type StoreRow = Omit<SearchStore, "account"> & { account: string };

type CampaignRow = Omit<SearchCampaign, "account" | keyof CampaignDetails> & {
  account: string;
  details: string;
};

/** The account object of a search result, as JSON text. */
const searchAccount = sql`json_remove(${accounts.fields}, '$.core_tenant_id', '$.core_app_account_id')`;

const SEARCHES = {
  stores: writtenOnce<"words" | "caller">((value) => searchStores(value("words"))),
  customers: writtenOnce<"words" | "caller">((value) => searchCustomers(value("words"), value("caller"))),
  campaigns: writtenOnce<"words" | "caller">((value) => searchCampaigns(value("words"))),
} satisfies Record<SearchKind, unknown>;

function searchStores(words: Placeholder): SQL {
  const found = findWords(
    {
      index: "store_words",
      record: sql`
        CROSS JOIN ${stores} ON ${stores.key} = store_words.rowid
        CROSS JOIN ${accounts} ON ${accounts.id} = ${stores.accountId}`,
      where: sql`${accounts.setAside} = 0`,
    },
    FOUND_LIMIT,
  );
  return sql`
    WITH ${askForWordsOrMarks(words)}, ${found}
    SELECT
      ${stores.id} AS id, ${stores.accountId} AS account_id,
      ${stores.name} AS name, ${stores.storeImage} AS store_image,
      ${stores.addressLine1} AS address_line_1, ${stores.addressLine2} AS address_line_2,
      ${stores.city} AS city, ${stores.state} AS state, ${stores.zip} AS zip, ${stores.phone} AS phone,
      ${stores.latitude} AS latitude, ${stores.longitude} AS longitude, ${searchAccount} AS account
    FROM found
    CROSS JOIN ${stores} ON ${stores.key} = found.key
    CROSS JOIN ${accounts} ON ${accounts.id} = ${stores.accountId}
    ORDER BY found.place, found.key`;
}

/** Campaigns of any date and status: both are in the record. */
function searchCampaigns(words: Placeholder): SQL {
  const found = findWords(
    {
      index: "campaign_words",
      record: sql`
        CROSS JOIN ${campaigns} ON ${campaigns.key} = campaign_words.rowid
        CROSS JOIN ${accounts} ON ${accounts.id} = ${campaigns.accountId}`,
      where: sql`${accounts.setAside} = 0`,
    },
    FOUND_LIMIT,
  );
  return sql`
    WITH ${askForWordsOrMarks(words)}, ${found}
    SELECT
      ${campaigns.id} AS id, CAST(${campaigns.accountId} AS INTEGER) AS account_id, ${campaigns.name} AS name,
      ${campaigns.campaignStartDate} AS campaign_start_date, ${campaigns.campaignEndDate} AS campaign_end_date,
      ${campaigns.campaignDescription} AS campaign_description, ${campaigns.status} AS status,
      ${campaigns.details} AS details, ${searchAccount} AS account
    FROM found
    CROSS JOIN ${campaigns} ON ${campaigns.key} = found.key
    CROSS JOIN ${accounts} ON ${accounts.id} = ${campaigns.accountId}
    ORDER BY found.place, found.key`;
}

/** Customers whom the caller may find, with what the caller may see of them. */
function searchCustomers(words: Placeholder, caller: Placeholder): SQL {
  const found = findWords(
    {
      index: "customer_words",
      record: sql`CROSS JOIN ${customers} ON ${customers.key} = customer_words.rowid`,
      where: sql`NOT EXISTS (
        SELECT 1 FROM ${blocks} WHERE ${blocks.customerId} = ${customers.id} AND ${blocks.blockedId} = ${caller}
      )`,
    },
    FOUND_LIMIT,
  );
  // The address, the birth date and the scan id are for the caller and the caller's friends only.
  const guarded = (name: string, otherwise: SQL) =>
    sql`iif(seen.id = ${caller} OR friend_status = 1, ${sql.raw(`seen.${name}`)}, ${otherwise}) AS ${sql.raw(name)}`;
  return sql`
    WITH ${askForWords(words)}, ${found},
    seen AS MATERIALIZED (
      SELECT found.place, ${customers}.*, ${friendStatus(caller, sql`${customers.id}`)} AS friend_status
      FROM found CROSS JOIN ${customers} ON ${customers.key} = found.key
    ),
    joined AS MATERIALIZED (
      SELECT seen.id AS customer_id, ${stores.accountId} AS account_id, count(*) AS stores
      FROM seen ${joinStoresOf(sql`seen.id`)}
      GROUP BY seen.id, ${stores.accountId}
    ),
    running AS MATERIALIZED (
      SELECT ${campaigns.accountId} AS account_id, count(*) AS campaigns
      FROM ${campaigns}
      WHERE ${campaigns.accountId} IN (SELECT account_id FROM joined) AND ${isRunning()}
      GROUP BY ${campaigns.accountId}
    ),
    counted AS MATERIALIZED (
      SELECT joined.customer_id, sum(joined.stores) AS stores, sum(running.campaigns) AS campaigns
      FROM joined LEFT JOIN running ON running.account_id = joined.account_id
      GROUP BY joined.customer_id
    )
    SELECT
      seen.id, seen.first_name, seen.last_name, seen.customer_description, seen.avatar, seen.friend_status,
      ${guarded("scan_id", sql`''`)}, ${guarded("date_of_birth", sql`NULL`)}, ${guarded("address_line_1", sql`''`)},
      ${guarded("address_line_2", sql`''`)}, ${guarded("city", sql`''`)}, ${guarded("state", sql`''`)},
      ${guarded("zip", sql`''`)},
      seen.balance / 100.0 AS balance,
      coalesce(counted.stores, 0) AS stores_count,
      coalesce(counted.campaigns, 0) AS campaigns_total,
      (
        SELECT count(*) FROM ${registrations}
        JOIN ${campaigns} ON ${campaigns.id} = ${registrations.campaignId} AND ${isRunning()}
        JOIN joined ON joined.customer_id = seen.id AND joined.account_id = ${campaigns.accountId}
        WHERE ${registrations.customerId} = seen.id
      ) AS campaigns_registered
    FROM seen LEFT JOIN counted ON counted.customer_id = seen.id
    ORDER BY seen.place, seen.key`;
}
