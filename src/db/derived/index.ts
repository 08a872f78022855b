import { campaignEarnings, customerBalances, LEVELS, playTotals, storeBalances, teamTokens } from "./totals.ts";
import { CAN_BE_MEANT, type Vocabulary } from "./vocabularies.ts";

/** A condition on keys, such as `BETWEEN 1 AND 50000`; a query writes its key column before it. */
export type KeyRange = string;

/**
 * Something that is stored although it follows from the records, so that no request has to compute it. Its definition is
 * `expected`, or the view that this reads. recount.ts makes verification and repair of it.
 */
export interface Derived {
  /** As a person knows it. */
  name: string;
  /** The table whose keys the steps range over, so that each step stays short; null: one step is enough. */
  over: "stores" | "campaigns" | "customers" | "message_groups" | null;
  table: string;
  /** Where in the table: in columns of rows that are there anyway, in rows of its own, or in a search index. */
  storedAs: "columns" | "rows" | "search index";
  /** What it means that only one of the two queries has a row: these values in the other, or a difference. */
  absent: "0" | "NULL" | "a difference";
  /** The columns of `expected` and `stored` by which a row is known. */
  key: readonly string[];
  /** Their other columns: the derived values. */
  values: readonly string[];
  /** What must be stored. */
  expected: (range: KeyRange) => string;
  /** The table's column that a range of keys limits, or a query of the stored values if no column can be limited. */
  stored: string | ((range: KeyRange) => string);
}

const listedStores: Derived = {
  name: "stores that campaigns list",
  over: "campaigns",
  table: "campaign_stores",
  storedAs: "rows",
  absent: "0",
  key: ["campaign_key", "store_key"],
  values: ["listed"],
  expected: (range) => `
    SELECT store.value AS store_key, campaigns.key AS campaign_key, 1 AS listed
    FROM campaigns, json_each(campaigns.listed_stores) AS store WHERE campaigns.key ${range}`,
  stored: "campaign_key",
};

/** Soft-deleted stores are counted too. */
const storesJoined: Derived = {
  name: "stores joined",
  over: "customers",
  table: "customers",
  storedAs: "columns",
  absent: "0",
  key: ["key"],
  values: ["stores_count"],
  expected: (range) => `
    SELECT customer_key AS key, count(*) AS stores_count
    FROM memberships WHERE customer_key ${range} AND joined = 1 GROUP BY customer_key`,
  stored: "key",
};

/** Who is how far below whom at a store, in the order in which a team is listed. */
const teamLinks: Derived = {
  name: "team links",
  over: "stores",
  table: "team_links",
  storedAs: "rows",
  absent: "a difference",
  key: ["store_key", "ancestor_key", "joined", "depth", "name", "descendant_id", "descendant_key"],
  values: [],
  expected: (range) => `SELECT * FROM expected_team_links WHERE store_key ${range}`,
  stored: "store_key",
};

const IN_MEMBERSHIPS = {
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
  stored: "store_key",
} as const satisfies Partial<Derived>;

/** How many members are on each level below a member. */
const teamMembers: Derived = {
  ...IN_MEMBERSHIPS,
  name: "members of teams",
  values: LEVELS.map((level) => `members_${level}`),
  expected: (range) => `
    SELECT store_key, ancestor_key AS customer_key,
      ${LEVELS.map((level) => `sum(joined AND depth = ${level}) AS members_${level}`).join(", ")}
    FROM expected_team_links WHERE store_key ${range} GROUP BY store_key, ancestor_key`,
};

/**
 * The round of an export in which a membership comes: how often, going up from the member, a referrer was stored as a
 * customer after the member whom they referred. So each referrer comes before the members whom they referred.
 */
const membershipRounds: Derived = {
  ...IN_MEMBERSHIPS,
  name: "rounds of memberships",
  values: ["round"],
  expected: (range) => `
    WITH RECURSIVE line(store_key, customer_key, above_key, round) AS (
      SELECT store_key, customer_key, customer_key, 0 FROM memberships WHERE store_key ${range}
      UNION ALL
      SELECT line.store_key, line.customer_key, m.referrer_key, line.round + (m.referrer_key > m.customer_key)
      FROM line CROSS JOIN memberships AS m ON m.store_key = line.store_key AND m.customer_key = line.above_key
      WHERE m.referrer_key IS NOT NULL
    )
    SELECT store_key, customer_key, max(round) AS round FROM line GROUP BY store_key, customer_key`,
};

/** The groups of each customer, by the newest message that each group names. */
const messageGroupNews: Derived = {
  name: "groups by their news",
  over: "message_groups",
  table: "message_group_news",
  storedAs: "rows",
  absent: "a difference",
  key: ["group_id", "customer_key", "newest_at", "group_key"],
  values: [],
  expected: (range) => `
    SELECT customer_key, coalesce(newest_at, '') AS newest_at, id AS group_id, group_key
    FROM message_group_members JOIN message_groups ON message_groups.key = group_key WHERE group_key ${range}`,
  stored: "group_key",
};

/**
 * The newest message of a group that is not removed, and the newest of an earlier second, which is shown until the newest's second is over.
 * Of several messages in one second the one stored last is shown. Which that was is not recorded: any of the second is
 * as expected, and where it is another's, that with the greatest id is put there.
 */
export const newestMessages: Derived = {
  name: "newest messages of groups",
  over: "message_groups",
  table: "message_groups",
  storedAs: "columns",
  absent: "NULL",
  key: ["key"],
  values: ["newest_at", "newest_id", "earlier_at", "earlier_id"],
  expected: (range) => `
    WITH second AS MATERIALIZED (
      SELECT group_key, sent_at AS at, max(id) AS id,
        row_number() OVER (PARTITION BY group_key ORDER BY sent_at DESC) AS seconds_back
      FROM messages WHERE group_key ${range} GROUP BY group_key, sent_at
    )
    SELECT
      message_groups.key, newest.at AS newest_at, ${ofSecond("newest")} AS newest_id,
      earlier.at AS earlier_at, ${ofSecond("earlier")} AS earlier_id
    FROM message_groups
    JOIN second AS newest ON newest.group_key = message_groups.key AND newest.seconds_back = 1
    LEFT JOIN second AS earlier ON earlier.group_key = message_groups.key AND earlier.seconds_back = 2
    WHERE message_groups.key ${range} AND message_groups.id IS NOT NULL`,
  stored: "key",
};

/** The message that the group names, if it is one of its second; else that with the greatest id. */
function ofSecond(second: "newest" | "earlier"): string {
  return `iif(
    EXISTS (
      SELECT 1 FROM messages
      WHERE id = message_groups.${second}_id AND group_key = message_groups.key AND sent_at = ${second}.at
    ),
    message_groups.${second}_id, ${second}.id
  )`;
}

/**
 * The entries of a search index. FTS5 keeps no contents, so an entry is compared word by word with the view that says what
 * the index must hold, split at its blanks by way of a JSON array: words have no quotes. `…_terms` lists what it holds.
 */
function searchIndex(name: string, table: string, over: Derived["over"]): Derived {
  return {
    name,
    over,
    table,
    storedAs: "search index",
    absent: "a difference",
    key: ["key", "term"],
    values: [],
    expected: (range) => `
      SELECT entry.key, term.value AS term
      FROM expected_words AS entry, json_each('["' || replace(entry.words, ' ', '","') || '"]') AS term
      WHERE search_index = '${table}' AND entry.key ${range} AND term.value <> ''`,
    stored: (range) => `SELECT doc AS key, term FROM ${table}_terms WHERE doc ${range}`,
  };
}

/**
 * The words of search indexes, which are recounted before. The key of a word, for ranges, is the code of its first letter.
 * `andIsUsed`: which stored words must be in an index.
 */
function vocabularyOf(of: Vocabulary, indexes: readonly string[], andIsUsed: string): Derived {
  const table = `${of}_vocabulary`;
  const terms = indexes.map((index) => `SELECT term FROM ${index}_terms`);
  return {
    name: `vocabulary of ${of}s`,
    over: null,
    table,
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    values: [],
    expected: (range) => `
      SELECT DISTINCT term AS word FROM (${terms.join(" UNION ALL ")})
      WHERE term ${CAN_BE_MEANT} AND unicode(term) ${range}`,
    stored: (range) => `SELECT word FROM ${table} WHERE unicode(word) ${range} ${andIsUsed}`,
  };
}

/**
 * All derived data. A repair goes in this order: words come before the vocabularies, which follow from them. News come
 * before the newest messages, whose triggers expect them to be right.
 */
export const DERIVED: readonly Derived[] = [
  customerBalances,
  storeBalances,
  campaignEarnings,
  listedStores,
  storesJoined,
  teamLinks,
  teamMembers,
  teamTokens,
  membershipRounds,
  messageGroupNews,
  newestMessages,
  playTotals,
  searchIndex("words of stores", "store_words", "stores"),
  searchIndex("words of campaigns", "campaign_words", "campaigns"),
  searchIndex("words of customers", "customer_words", "customers"),
  // A word that no store or campaign has any more may stay, and finds nothing.
  vocabularyOf(
    "merchant",
    ["store_words", "campaign_words"],
    `AND (
      EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || word || '"')
      OR EXISTS (SELECT 1 FROM campaign_words WHERE campaign_words MATCH '"' || word || '"')
    )`,
  ),
  // A trigger takes out the words of an erased customer that nobody else has.
  vocabularyOf("customer", ["customer_words"], ""),
];
