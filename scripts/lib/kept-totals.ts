// What is kept beside the records so that no request has to count: how each is counted anew, and how it is mended.
// A step looks at one range of keys, so that it stays short however much is stored; `:from` and `:to` are its ends.
// Each mending is one statement: it counts and writes in one transaction, while the service runs.

export interface Kept {
  /** The kept thing as a person knows it. */
  name: string;
  /** The table whose `key` the steps go over. */
  over: "accounts" | "stores" | "campaigns" | "customers" | "coupons";
  /** Rows of (what, kept, counted) where the two differ; what is not there is null. */
  differences: string;
  /** Statements that make the range right. */
  mend: readonly string[];
}

const RANGE = "key BETWEEN :from AND :to";

/** A sum whose parts may be more than an integer holds, although the whole never is: large amounts, and back again. */
const exactSum = (amount: string) => `((sum((${amount}) >> 32) << 32) + sum((${amount}) & 4294967295))`;

const balanceOfCustomers = `
  SELECT customers.id AS what, customers.balance AS kept, coalesce(counted.amount, 0) AS counted
  FROM customers LEFT JOIN (
    SELECT entry.customer_id, ${exactSum("entry.amount")} AS amount
    FROM balance_entries AS entry JOIN customers AS holder ON holder.id = entry.customer_id AND holder.${RANGE}
    GROUP BY entry.customer_id
  ) AS counted ON counted.customer_id = customers.id
  WHERE customers.${RANGE} AND customers.balance IS NOT coalesce(counted.amount, 0)`;

const storesOfCustomers = `
  SELECT customers.id AS what, customers.stores_count AS kept, (
    SELECT count(*) FROM memberships WHERE memberships.customer_id = customers.id AND memberships.joined = 1
  ) AS counted
  FROM customers
  WHERE customers.${RANGE} AND kept IS NOT counted`;

const storeBalances = `
  SELECT entry.store_id, entry.customer_id, ${exactSum("entry.amount")} AS balance
  FROM balance_entries AS entry JOIN stores ON stores.id = entry.store_id AND stores.${RANGE}
  GROUP BY entry.store_id, entry.customer_id`;

const campaignEarnings = `
  SELECT entry.campaign_id, entry.store_id, sum(entry.amount) AS earned
  FROM balance_entries AS entry JOIN campaigns ON campaigns.id = entry.campaign_id AND campaigns.${RANGE}
  WHERE entry.amount > 0
  GROUP BY entry.campaign_id, entry.store_id`;

const membersBelow = `
  SELECT a.store_id, a.ancestor_id AS customer_id,
    sum(m.joined * (a.depth = 1)) AS members_1, sum(m.joined * (a.depth = 2)) AS members_2,
    sum(m.joined * (a.depth = 3)) AS members_3, sum(m.joined * (a.depth = 4)) AS members_4,
    sum(m.joined * (a.depth = 5)) AS members_5
  FROM stores
  JOIN memberships AS m ON m.store_id = stores.id
  JOIN ancestors AS a ON a.store_id = m.store_id AND a.customer_id = m.customer_id
  WHERE stores.${RANGE}
  GROUP BY a.store_id, a.ancestor_id`;

const MEMBERS = ["members_1", "members_2", "members_3", "members_4", "members_5"];

const linksDue = `
  SELECT a.store_id, a.ancestor_id, m.joined, a.depth, customers.name, a.customer_id AS descendant_id
  FROM stores
  JOIN memberships AS m ON m.store_id = stores.id
  JOIN ancestors AS a ON a.store_id = m.store_id AND a.customer_id = m.customer_id
  JOIN customers ON customers.id = m.customer_id
  WHERE stores.${RANGE}`;

const linksKept = `
  SELECT link.store_id, link.ancestor_id, link.joined, link.depth, link.name, link.descendant_id
  FROM stores JOIN team_links AS link ON link.store_id = stores.id
  WHERE stores.${RANGE}`;

const LINK = "store_id, ancestor_id, joined, depth, name, descendant_id";

/** Rows that stand in one of two queries only, as (what, kept, counted). */
function onlyInOne(what: string, kept: string, due: string): string {
  return `
  SELECT ${what} AS what, 1 AS kept, NULL AS counted FROM (SELECT * FROM (${kept}) EXCEPT SELECT * FROM (${due}))
  UNION ALL
  SELECT ${what}, NULL, 1 FROM (SELECT * FROM (${due}) EXCEPT SELECT * FROM (${kept}))`;
}

/** Sums by a pair of keys, against a table that has no row where nothing was booked. */
function pairSums(table: string, column: string, [one, other]: readonly [string, string], over: string, due: string) {
  const keptRows = `
    SELECT kept.${one}, kept.${other}, kept.${column}
    FROM ${table} AS kept JOIN ${over} ON ${over}.id = kept.${one} AND ${over}.${RANGE}`;
  return {
    differences: `
      SELECT due.${one} || ' ' || due.${other} AS what, kept.${column} AS kept, due.${column} AS counted
      FROM (${due}) AS due LEFT JOIN ${table} AS kept ON kept.${one} = due.${one} AND kept.${other} = due.${other}
      WHERE kept.${column} IS NOT due.${column}
      UNION ALL
      SELECT kept.${one} || ' ' || kept.${other}, kept.${column}, 0
      FROM (${keptRows}) AS kept
      LEFT JOIN (${due}) AS due ON due.${one} = kept.${one} AND due.${other} = kept.${other}
      WHERE due.${column} IS NULL AND kept.${column} <> 0`,
    mend: [
      `UPDATE ${table} SET ${column} = 0
       WHERE ${column} <> 0 AND ${one} IN (SELECT id FROM ${over} WHERE ${RANGE})
         AND (${one}, ${other}) NOT IN (SELECT ${one}, ${other} FROM (${due}))`,
      `INSERT INTO ${table} (${one}, ${other}, ${column}) SELECT ${one}, ${other}, ${column} FROM (${due}) WHERE true
       ON CONFLICT (${one}, ${other}) DO UPDATE SET ${column} = excluded.${column}
       WHERE ${column} IS NOT excluded.${column}`,
    ],
  };
}

const CORNERS = ["min_latitude", "max_latitude", "min_longitude", "max_longitude", "min_account", "max_account"];

const MEASURES = ["runs", "hits", "doubles", "triples"];
const PLAYER = ["location_id", "eip_campaign_id", "employee_id"];

const playTotals = `
  SELECT ${PLAYER.map((column) => `play.${column}`).join(", ")}, ${MEASURES.map((one) => `${exactSum(`play.${one}`)} AS ${one}`).join(", ")}
  FROM plays AS play JOIN stores ON stores.id = play.location_id AND stores.${RANGE}
  GROUP BY ${PLAYER.map((column) => `play.${column}`).join(", ")}`;

const playTotalsKept = `
  SELECT ${[...PLAYER, ...MEASURES].map((column) => `kept.${column}`).join(", ")}
  FROM play_totals AS kept JOIN stores ON stores.id = kept.location_id AND stores.${RANGE}`;

const TOKENS = ["tokens_1", "tokens_2", "tokens_3", "tokens_4", "tokens_5"];

const tokensEarned = `
  SELECT earning.store_id, earning.customer_id, ${TOKENS.map(
    (column, index) => `${exactSum(`earning.tokens * (earning.level_no = ${index + 1})`)} AS ${column}`,
  ).join(", ")}
  FROM token_earnings AS earning JOIN stores ON stores.id = earning.store_id AND stores.${RANGE}
  GROUP BY earning.store_id, earning.customer_id`;

/** Five columns of a membership, one a level, against a query that counts them; where it says nothing, they are 0. */
function levelsOfMembers(columns: readonly string[], counted: string): Pick<Kept, "differences" | "mend"> {
  const values = (alias: string) => columns.map((column) => `coalesce(${alias}.${column}, 0)`);
  const all = `
    FROM stores JOIN memberships AS kept ON kept.store_id = stores.id
    LEFT JOIN (${counted}) AS due ON due.store_id = kept.store_id AND due.customer_id = kept.customer_id
    WHERE stores.${RANGE} AND (${values("kept")}) IS NOT (${values("due")})`;
  const text = (alias: string) => values(alias).join(" || ' ' || ");
  const due = columns.map((column) => `coalesce(due.${column}, 0) AS ${column}`);
  return {
    differences: `
      SELECT kept.store_id || ' ' || kept.customer_id AS what, ${text("kept")} AS kept, ${text("due")} AS counted ${all}`,
    mend: [
      `UPDATE memberships SET ${columns.map((column) => `${column} = found.${column}`)}
       FROM (SELECT kept.store_id, kept.customer_id, ${due} ${all}) AS found
       WHERE memberships.store_id = found.store_id AND memberships.customer_id = found.customer_id`,
    ],
  };
}

// A group may have been removed and written again: messages from before are not the new group's.
const OF_GROUP = `messages.group_id = message_groups.id AND messages.group_removals = coalesce(
    (SELECT times FROM message_group_removals AS removal WHERE removal.group_id = message_groups.id), 0
  )`;

const newestInGroups = `
  SELECT message_groups.id, message_groups.newest_at AS kept, max(messages.sent_at) AS counted
  FROM message_groups
  JOIN customers ON customers.id = message_groups.initial_customer_id AND customers.${RANGE}
  LEFT JOIN messages ON ${OF_GROUP}
  GROUP BY message_groups.id`;

const newestOfMembers = `
  SELECT member.group_id, member.customer_id, member.newest_at AS kept, message_groups.newest_at AS counted
  FROM message_groups
  JOIN customers ON customers.id = message_groups.initial_customer_id AND customers.${RANGE}
  JOIN message_group_members AS member ON member.group_id = message_groups.id
  WHERE member.newest_at IS NOT message_groups.newest_at`;

/** A table with a row for each `key`, against the view that says what it must hold. */
function asItsView(table: string, columns: readonly string[]): Pick<Kept, "differences" | "mend"> {
  const values = (alias: string) => columns.map((column) => `${alias}.${column}`).join(", ");
  const differences = `
    SELECT due.key AS what, iif(kept.key IS NULL, NULL, 'another') AS kept, 'it' AS counted
    FROM ${table}_due AS due LEFT JOIN ${table} AS kept ON kept.key = due.key
    WHERE due.${RANGE} AND (${values("kept")}) IS NOT (${values("due")})
    UNION ALL
    SELECT kept.key, 'it', NULL FROM ${table} AS kept
    WHERE kept.${RANGE} AND kept.key NOT IN (SELECT key FROM ${table}_due WHERE ${RANGE})`;
  return {
    differences,
    mend: [
      `DELETE FROM ${table} WHERE key IN (SELECT what FROM (${differences}))`,
      `INSERT INTO ${table} SELECT * FROM ${table}_due
       WHERE ${RANGE} AND key NOT IN (SELECT key FROM ${table} WHERE ${RANGE})`,
    ],
  };
}

/** An index of words, against the view that says what it must hold. */
function searchIndex(index: string): Pick<Kept, "differences" | "mend"> {
  const due = `
    SELECT due.key, term.value AS term
    FROM ${index}_due AS due, json_each('["' || replace(due.words, ' ', '","') || '"]') AS term
    WHERE due.${RANGE} AND term.value <> ''`;
  const differences = onlyInOne(
    "key || ' ' || term",
    `SELECT doc AS key, term FROM ${index}_terms WHERE doc BETWEEN :from AND :to`,
    due,
  );
  const wrong = onlyInOne("key", `SELECT doc AS key, term FROM ${index}_terms WHERE doc BETWEEN :from AND :to`, due);
  return {
    differences,
    mend: [
      `DELETE FROM ${index} WHERE rowid IN (SELECT what FROM (${wrong}))`,
      `INSERT INTO ${index} (rowid, words) SELECT key, words FROM ${index}_due
       WHERE ${RANGE} AND key IN (SELECT what FROM (${wrong}))`,
    ],
  };
}

export const KEPT: readonly Kept[] = [
  {
    name: "customers' balances",
    over: "customers",
    differences: balanceOfCustomers,
    mend: [
      `UPDATE customers SET balance = due.counted FROM (${balanceOfCustomers}) AS due WHERE customers.id = due.what`,
    ],
  },
  {
    name: "balances at stores",
    over: "stores",
    ...pairSums("store_balances", "balance", ["store_id", "customer_id"], "stores", storeBalances),
  },
  {
    name: "what campaigns have earned",
    over: "campaigns",
    ...pairSums("campaign_stores", "earned", ["campaign_id", "store_id"], "campaigns", campaignEarnings),
  },
  {
    name: "stores joined",
    over: "customers",
    differences: storesOfCustomers,
    mend: [
      `UPDATE customers SET stores_count = due.counted FROM (${storesOfCustomers}) AS due WHERE customers.id = due.what`,
    ],
  },
  {
    name: "team links",
    over: "stores",
    differences: onlyInOne("store_id || ' ' || ancestor_id || ' ' || descendant_id", linksKept, linksDue),
    mend: [
      `DELETE FROM team_links WHERE store_id IN (SELECT id FROM stores WHERE ${RANGE})
         AND (${LINK}) NOT IN (SELECT ${LINK} FROM (${linksDue}))`,
      `INSERT INTO team_links (${LINK}) SELECT ${LINK} FROM (${linksDue}) WHERE true ON CONFLICT DO NOTHING`,
    ],
  },
  { name: "members of teams", over: "stores", ...levelsOfMembers(MEMBERS, membersBelow) },
  { name: "tokens of teams", over: "stores", ...levelsOfMembers(TOKENS, tokensEarned) },
  {
    name: "newest messages of groups",
    over: "customers",
    differences: `SELECT id AS what, kept, counted FROM (${newestInGroups}) WHERE kept IS NOT counted`,
    // Of messages in one second it is not written down which came last.
    mend: [
      `UPDATE message_groups SET newest_at = due.counted, newest_id = (
         SELECT max(id) FROM messages WHERE ${OF_GROUP} AND sent_at = due.counted
       ) FROM (${newestInGroups}) AS due WHERE due.id = message_groups.id AND due.kept IS NOT due.counted`,
    ],
  },
  {
    name: "newest messages of members",
    over: "customers",
    differences: `SELECT group_id || ' ' || customer_id AS what, kept, counted FROM (${newestOfMembers})`,
    mend: [
      `UPDATE message_group_members SET newest_at = due.counted FROM (${newestOfMembers}) AS due
       WHERE due.group_id = message_group_members.group_id AND due.customer_id = message_group_members.customer_id`,
    ],
  },
  { name: "positions of stores", over: "stores", ...asItsView("store_positions", CORNERS) },
  { name: "answers of accounts", over: "accounts", ...asItsView("account_answers", ["coupons"]) },
  { name: "answers of coupons", over: "coupons", ...asItsView("coupon_answers", ["text", "record", "detail"]) },
  {
    name: "totals of plays",
    over: "stores",
    differences: onlyInOne(PLAYER.join(" || ' ' || "), playTotalsKept, playTotals),
    mend: [
      `DELETE FROM play_totals WHERE location_id IN (SELECT id FROM stores WHERE ${RANGE})
         AND (${PLAYER}) NOT IN (SELECT ${PLAYER} FROM (${playTotals}))`,
      `INSERT INTO play_totals (${PLAYER}, ${MEASURES}) SELECT ${PLAYER}, ${MEASURES} FROM (${playTotals}) WHERE true
       ON CONFLICT (${PLAYER}) DO UPDATE SET ${MEASURES.map((one) => `${one} = excluded.${one}`)}
       WHERE (${MEASURES.map((one) => `play_totals.${one}`)}) IS NOT (${MEASURES.map((one) => `excluded.${one}`)})`,
    ],
  },
  { name: "words of stores", over: "stores", ...searchIndex("store_words") },
  { name: "words of campaigns", over: "campaigns", ...searchIndex("campaign_words") },
  { name: "words of chains", over: "accounts", ...searchIndex("chain_words") },
  { name: "words of customers", over: "customers", ...searchIndex("customer_words") },
];

/** A statement for one range of keys. */
export function forRange(statement: string, from: number, to: number): string {
  return statement.replaceAll(":from", String(from)).replaceAll(":to", String(to));
}
