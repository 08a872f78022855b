import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accountIdsOf, accountsOf } from "../../accounts/answers.ts";
import { oncePerAccount, searchAccount } from "../../accounts/queries.ts";
import { nameBeginnings } from "../../customers/name-words.ts";
import { customerKeyOf } from "../../customers/queries.ts";
import { compilePer, type Database } from "../../db/database.ts";
import { findForgivingly, forgivenWords, splitNearWords } from "../../db/forgiving-search.ts";
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
import {
  askForRarestOrMarks,
  askForWords,
  askForWordsOrMarks,
  holdsBeginnings,
  LOOKED_UP,
  withoutBeginnings,
} from "../../db/word-search.ts";
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
  const beginnings = withoutBeginnings(words);
  const near = splitNearWords(words);
  const values = {
    words: JSON.stringify(words),
    beginnings: JSON.stringify(beginnings),
    nameBeginnings: JSON.stringify(nameBeginnings(beginnings)),
    forgivable: JSON.stringify(forgivable),
    lookedUp: JSON.stringify(near.lookedUp),
    held: JSON.stringify(near.held),
    caller: customerId,
  };
  const shape = { many: beginnings.length > LOOKED_UP };
  const results = await db.batch(asked.map((kind) => SEARCHES[kind](shape, values)));
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

type Value = (
  name: "words" | "beginnings" | "nameBeginnings" | "forgivable" | "lookedUp" | "held" | "caller",
) => Placeholder;

interface Shape {
  /** Whether there are more beginnings than are looked up. */
  many: boolean;
}

const SEARCHES = {
  stores: compilePer(searchStores),
  customers: compilePer((_: Shape, value: Value) => searchCustomers(value)),
  campaigns: compilePer(searchCampaigns),
} satisfies Record<SearchKind, unknown>;

/** Stores or campaigns, to which the words of their account belong. */
const OF_ACCOUNTS = {
  stores: { table: stores, index: "store_words", vocabulary: storeVocabulary },
  campaigns: { table: campaigns, index: "campaign_words", vocabulary: campaignVocabulary },
};

/** For a `WITH` clause: finds these. */
function findOfAccounts({ many }: Shape, value: Value, kind: keyof typeof OF_ACCOUNTS): SQL {
  const { table, index, vocabulary } = OF_ACCOUNTS[kind];
  const asked = { whole: value("words"), beginnings: value("beginnings") };
  const recordWords = wordsWithCompany(table);
  const searched = {
    index,
    record: sql`CROSS JOIN ${table} ON ${table.key} = ${sql.raw(index)}.rowid`,
    where: sql`NOT ${isAccountDeleted(sql`${table.accountKey}`)}`,
    holds: many ? holdsBeginnings(asked.beginnings, recordWords) : undefined,
    vocabulary,
    recordWords,
    hasMarks: true,
  };
  return sql`
    ${many ? askForRarestOrMarks(asked, index) : askForWordsOrMarks(asked)},
    ${findForgivingly(searched, nearOf(value), FOUND_LIMIT)}`;
}

function nearOf(value: Value) {
  return {
    words: value("words"),
    forgivable: value("forgivable"),
    lookedUp: value("lookedUp"),
    held: value("held"),
  };
}

function searchStores(shape: Shape, value: Value): SQL {
  const found = findOfAccounts(shape, value, "stores");
  const record = sql`CROSS JOIN ${stores} ON ${stores.key} = found.key`;
  const accountKey = sql`${stores.accountKey}`;
  // Not the position: JSON made by SQLite has fewer digits than a position may have.
  return sql`
    WITH ${found}
    SELECT
      json_object(
        'id', ${stores.id}, 'name', ${stores.name},
        'store_image', ${stores.storeImage}, 'address_line_1', ${stores.addressLine1},
        'address_line_2', ${stores.addressLine2}, 'city', ${stores.city}, 'state', ${stores.state},
        'zip', ${stores.zip}, 'phone', ${stores.phone}
      ) AS store,
      ${stores.latitude} AS latitude, ${stores.longitude} AS longitude,
      ${forgivenWords(sql`found.rank`, { words: value("words"), recordWords: wordsWithCompany(stores) })} AS forgiven,
      ${accountPart(record, accountKey)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

/** All words that a record of an account is found by, whether its entry in the index holds the company's or a mark. */
function wordsWithCompany({ words, accountKey }: typeof stores | typeof campaigns): SQL {
  return sql`(${words} || ' ' || (SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} = ${accountKey}))`;
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
function searchCampaigns(shape: Shape, value: Value): SQL {
  const found = findOfAccounts(shape, value, "campaigns");
  const record = sql`CROSS JOIN ${campaigns} ON ${campaigns.key} = found.key`;
  const accountKey = sql`${campaigns.accountKey}`;
  return sql`
    WITH ${found}
    SELECT
      json_object(
        'id', ${campaigns.id}, 'name', ${campaigns.name},
        'campaign_start_date', ${campaigns.campaignStartDate}, 'campaign_end_date', ${campaigns.campaignEndDate},
        'campaign_description', ${campaigns.campaignDescription}, 'status', ${campaigns.status}
      ) AS campaign,
      ${campaigns.details} AS details,
      ${forgivenWords(sql`found.rank`, { words: value("words"), recordWords: wordsWithCompany(campaigns) })} AS forgiven,
      ${accountPart(record, accountKey)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

/** Customers whom the caller may find, with what the caller may see of them. */
function searchCustomers(value: Value): SQL {
  const [words, caller] = [value("words"), value("caller")];
  const found = findForgivingly(
    {
      index: "customer_words",
      record: sql`CROSS JOIN ${customers} ON ${customers.key} = customer_words.rowid`,
      where: sql`NOT ${hasBlocked(sql`${customers.key}`, customerKeyOf(caller))}`,
      vocabulary: customerVocabulary,
      recordWords: sql`${customers.words}`,
    },
    nearOf(value),
    FOUND_LIMIT,
  );
  return sql`
    WITH ${askForWords({ whole: words, beginnings: value("nameBeginnings") })}, ${found},
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
      ${forgivenWords(sql`seen.rank`, { words, recordWords: sql`${customers.words}` })} AS forgiven
    FROM seen
    CROSS JOIN ${customers} ON ${customers.key} = seen.key
    LEFT JOIN counted ON counted.key = seen.key
    ORDER BY seen.rank, seen.key`;
}
