import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accountIdsOf, accountsOf } from "../../accounts/answers.ts";
import { oncePerAccount, searchAccount } from "../../accounts/queries.ts";
import { customerKeyOf } from "../../customers/queries.ts";
import { compileOnce, type Database } from "../../db/database.ts";
import { type Asked, findForgivingly, forgivenWords } from "../../db/forgiving-search.ts";
import {
  accounts,
  campaigns,
  campaignVocabulary,
  customers,
  customerVocabulary,
  registrations,
  stores,
  storeVocabulary,
} from "../../db/tables/index.ts";
import { askForWords, askForWordsOrMarks } from "../../db/word-search.ts";
import { friendStatus, hasBlocked } from "../../friendships/queries.ts";
import { type JsonText, withMember } from "../../http/json-text.ts";
import { isAccountDeleted, joinStoresOf } from "../../stores/queries.ts";
import { isRunning } from "../campaigns/queries.ts";
import {
  type CampaignRow,
  type CustomerRow,
  forgivenIn,
  NOTHING_PERSONAL,
  type StoreRow,
  toCampaign,
  toCustomer,
  toStore,
} from "./answers.ts";
import { KINDS, type SearchKind } from "./schema.ts";

export interface FullSearch {
  /** Folded, each once. */
  words: readonly string[];
  /** Those of the words that may be forgiven a typo, in a list that would be empty otherwise. */
  forgivable: readonly string[];
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
  /** The words that were forgiven in one of these records, in the order of the query. */
  forgiven: string[];
}

const FOUND_LIMIT = 20;

/**
 * The records of which some word begins with each word asked for (docs/contract/interface.md, 4.6): first those that
 * hold every word whole, then the others, each in the order first stored. Where there are none, those that hold words
 * like the forgivable ones. One round trip; none for no words.
 */
export async function searchAll(db: Database, search: FullSearch): Promise<Found> {
  const { words, forgivable, kinds, customerId } = search;
  if (words.length === 0) return { stores: [], customers: [], campaigns: [], forgiven: [] };
  const asked = KINDS.filter((kind) => kinds.includes(kind));
  const values = { words: JSON.stringify(words), forgivable: JSON.stringify(forgivable), caller: customerId };
  const results = await db.batch(asked.map((kind) => SEARCHES[kind](values)));
  const rowsOf = <Row>(kind: SearchKind) => (results[asked.indexOf(kind)] ?? []) as unknown as Row[];
  const [stores, campaigns] = [rowsOf<StoreRow>("stores"), rowsOf<CampaignRow>("campaigns")];
  const records = [...stores, ...campaigns];
  const customers = rowsOf<CustomerRow>("customers");
  const [accountOf, accountIdOf] = [accountsOf(records), accountIdsOf(records)];
  return {
    stores: stores.map((row) => withMember(toStore(row, accountIdOf(row)), "account", accountOf(row))),
    customers: customers.map(toCustomer),
    campaigns: campaigns.map((row) => withMember(toCampaign(row, accountIdOf(row)), "account", accountOf(row))),
    forgiven: forgivenIn([...records, ...customers], words),
  };
}

const PERSONAL = sql.raw(
  Object.keys(NOTHING_PERSONAL)
    .map((name) => `'${name}', customers.${name}`)
    .join(", "),
);

type Value = "words" | "forgivable" | "caller";

function askedIn(value: (name: Value) => Placeholder): Asked {
  return { words: value("words"), forgivable: value("forgivable") };
}

const SEARCHES = {
  stores: compileOnce<Value>((value) => searchStores(askedIn(value))),
  customers: compileOnce<Value>((value) => searchCustomers(askedIn(value), value("caller"))),
  campaigns: compileOnce<Value>((value) => searchCampaigns(askedIn(value))),
} satisfies Record<SearchKind, unknown>;

function searchStores(asked: Asked): SQL {
  const accountKey = sql`${stores.accountKey}`;
  const recordWords = wordsWithCompany(stores.words, accountKey);
  const found = findForgivingly(
    {
      index: "store_words",
      record: sql`CROSS JOIN ${stores} ON ${stores.key} = store_words.rowid`,
      where: sql`NOT ${isAccountDeleted(accountKey)}`,
      vocabulary: storeVocabulary,
      recordWords,
      hasMarks: true,
    },
    asked,
    FOUND_LIMIT,
  );
  const record = sql`CROSS JOIN ${stores} ON ${stores.key} = found.key`;
  // Not the position: JSON made by SQLite has fewer digits than a position may have.
  return sql`
    WITH ${askForWordsOrMarks(asked.words)}, ${found}
    SELECT
      json_object(
        'id', ${stores.id}, 'name', ${stores.name},
        'store_image', ${stores.storeImage}, 'address_line_1', ${stores.addressLine1},
        'address_line_2', ${stores.addressLine2}, 'city', ${stores.city}, 'state', ${stores.state},
        'zip', ${stores.zip}, 'phone', ${stores.phone}
      ) AS store,
      ${stores.latitude} AS latitude, ${stores.longitude} AS longitude,
      ${forgivenWords(sql`found.rank`, { words: asked.words, recordWords })} AS forgiven,
      ${accountPart(record, accountKey)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

/** All words that a record of an account is found by, whether its entry in the index holds the company's or a mark. */
function wordsWithCompany(own: typeof stores.words | typeof campaigns.words, accountKey: SQL): SQL {
  return sql`(${own} || ' ' || (SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} = ${accountKey}))`;
}

/** The account of a record; its object stands beside one record of each account. */
function accountPart(record: SQL, accountKey: SQL): SQL {
  const object = oncePerAccount(searchAccount(accountKey), {
    list: sql`found ${record}`,
    key: sql`found.key`,
    accountKey,
  });
  return sql`${accountKey} AS account_key, ${object} AS account`;
}

/** Campaigns of any date and status: both are in the record. */
function searchCampaigns(asked: Asked): SQL {
  const accountKey = sql`${campaigns.accountKey}`;
  const recordWords = wordsWithCompany(campaigns.words, accountKey);
  const found = findForgivingly(
    {
      index: "campaign_words",
      record: sql`CROSS JOIN ${campaigns} ON ${campaigns.key} = campaign_words.rowid`,
      where: sql`NOT ${isAccountDeleted(accountKey)}`,
      vocabulary: campaignVocabulary,
      recordWords,
      hasMarks: true,
    },
    asked,
    FOUND_LIMIT,
  );
  const record = sql`CROSS JOIN ${campaigns} ON ${campaigns.key} = found.key`;
  return sql`
    WITH ${askForWordsOrMarks(asked.words)}, ${found}
    SELECT
      json_object(
        'id', ${campaigns.id}, 'name', ${campaigns.name},
        'campaign_start_date', ${campaigns.campaignStartDate}, 'campaign_end_date', ${campaigns.campaignEndDate},
        'campaign_description', ${campaigns.campaignDescription}, 'status', ${campaigns.status}
      ) AS campaign,
      ${campaigns.details} AS details,
      ${forgivenWords(sql`found.rank`, { words: asked.words, recordWords })} AS forgiven,
      ${accountPart(record, accountKey)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

/** Customers whom the caller may find, with what the caller may see of them. */
function searchCustomers(asked: Asked, caller: Placeholder): SQL {
  const found = findForgivingly(
    {
      index: "customer_words",
      record: sql`CROSS JOIN ${customers} ON ${customers.key} = customer_words.rowid`,
      where: sql`NOT ${hasBlocked(sql`${customers.key}`, customerKeyOf(caller))}`,
      vocabulary: customerVocabulary,
      recordWords: sql`${customers.words}`,
    },
    asked,
    FOUND_LIMIT,
  );
  return sql`
    WITH ${askForWords(asked.words)}, ${found},
    seen AS MATERIALIZED (
      SELECT found.rank, found.key, (
        SELECT ${friendStatus(sql`caller.key`, sql`found.key`)} FROM (SELECT ${customerKeyOf(caller)} AS key) AS caller
      ) AS friend_status
      FROM found
    ),
    joined AS MATERIALIZED (
      SELECT seen.key, ${stores.accountKey} AS account_key, count(*) AS stores
      FROM seen ${joinStoresOf(sql`seen.key`)}
      GROUP BY seen.key, ${stores.accountKey}
    ),
    running AS MATERIALIZED (
      SELECT account_key, (
        SELECT count(*) FROM ${campaigns} WHERE ${campaigns.accountKey} = one.account_key AND ${isRunning(campaigns)}
      ) AS campaigns
      FROM (SELECT DISTINCT account_key FROM joined) AS one
    ),
    counted AS MATERIALIZED (
      SELECT joined.key, sum(joined.stores) AS stores, sum(running.campaigns) AS campaigns
      FROM joined LEFT JOIN running ON running.account_key = joined.account_key
      GROUP BY joined.key
    )
    SELECT
      json_object(
        'id', ${customers.id}, 'first_name', ${customers.firstName}, 'last_name', ${customers.lastName},
        'customer_description', ${customers.customerDescription}, 'avatar', ${customers.avatar},
        'friend_status', seen.friend_status
      ) AS customer,
      iif(${customers.id} = ${caller} OR seen.friend_status = 1, json_object(${PERSONAL}), NULL) AS personal,
      ${customers.balance} / 100.0 AS balance,
      coalesce(counted.stores, 0) AS stores_count,
      coalesce(counted.campaigns, 0) AS campaigns_total,
      (
        SELECT count(*) FROM ${registrations}
        CROSS JOIN ${campaigns} ON ${campaigns.key} = ${registrations.campaignKey} AND ${isRunning(campaigns)}
        CROSS JOIN joined ON joined.key = seen.key AND joined.account_key = ${campaigns.accountKey}
        WHERE ${registrations.customerKey} = seen.key
      ) AS campaigns_registered,
      ${forgivenWords(sql`seen.rank`, { words: asked.words, recordWords: sql`${customers.words}` })} AS forgiven
    FROM seen
    CROSS JOIN ${customers} ON ${customers.key} = seen.key
    LEFT JOIN counted ON counted.key = seen.key
    ORDER BY seen.rank, seen.key`;
}
