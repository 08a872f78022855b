import { CommandError } from "../lib/command-error.ts";
import { IN_CUSTOMERS, IN_STORES, type Misspelt, misspelt } from "./queries.ts";

// What the benchmark asks for is picked from what was loaded, whatever that is: the densest place, the widest team, the
// commonest name, and their opposites.

export interface Picks {
  dense: { accountId: string; latitude: number; longitude: number };
  lone: { accountId: string; latitude: number; longitude: number };
  manyGroups: { customerId: string; beforeNews: string; newest: string };
  fewGroups: { customerId: string };
  wideTeam: { storeId: string; customerId: string; memberId: string };
  narrowTeam: { storeId: string; customerId: string };
  manyCoupons: { customerId: string };
  someCoupons: { customerId: string };
  fewCoupons: { customerId: string };
  manyStores: { customerId: string };
  name: { first: string; last: string };
  rare: { name: string };
  chain: { company: string };
  misspelt: { customers: Misspelt; stores: Misspelt };
  busyBoard: Board;
  boards: Board[];
}

export interface Board {
  locationId: string;
  campaignId: string;
}

// About as wide as a radius of 25 miles at the equator.
const CELL = "account_key, round(latitude * 2), round(longitude * 2)";

const TEAM = `SELECT stores.id AS storeId, customers.id AS customerId
  FROM memberships JOIN stores ON stores.key = store_key JOIN customers ON customers.key = customer_key`;

const BOARDS = `SELECT DISTINCT stores.id AS locationId, eip_campaigns.id AS campaignId
  FROM play_totals JOIN stores ON stores.key = location_key JOIN eip_campaigns ON eip_campaigns.key = eip_campaign_key
  ORDER BY 1, 2 LIMIT 2000`;

const keyOf = (table: string) => `(SELECT key FROM ${table} WHERE id = ?)`;

export async function pick(database: D1Database): Promise<Picks> {
  const row = async <Row>(what: string, query: string, ...values: string[]): Promise<Row> => {
    const first = await database
      .prepare(query)
      .bind(...values)
      .first<Row>();
    if (first === null) throw new CommandError(`There is ${what} in what was loaded: it cannot be asked for.`);
    return first;
  };
  const place = (order: "DESC" | "ASC") =>
    row<Picks["dense"]>(
      "no store",
      `SELECT accounts.id AS accountId, avg(latitude) AS latitude, avg(longitude) AS longitude
       FROM stores JOIN accounts ON accounts.key = stores.account_key
       WHERE stores.deleted = 0 GROUP BY ${CELL} ORDER BY count(*) ${order}, min(stores.key) LIMIT 1`,
    );
  const groupsOf = (order: "DESC" | "ASC") =>
    row<{ customerId: string }>(
      "no message group",
      `SELECT customers.id AS customerId FROM message_group_news JOIN customers ON customers.key = customer_key
       WHERE newest_at <> '' GROUP BY customer_key ORDER BY count(*) ${order}, customers.id LIMIT 1`,
    );
  const couponsOf = (order: string) =>
    row<{ customerId: string }>(
      "no coupon",
      `SELECT customers.id AS customerId FROM customer_coupons JOIN customers ON customers.key = customer_key
       WHERE usable = 1 GROUP BY customer_key ORDER BY ${order}, customers.id LIMIT 1`,
    );
  const size = "members_1 + members_2 + members_3 + members_4 + members_5";
  const wide = await row<{ storeId: string; customerId: string }>(
    "no team",
    `${TEAM} WHERE joined = 1 AND members_1 > 0 ORDER BY ${size} DESC, stores.id, customers.id LIMIT 1`,
  );
  const many = await groupsOf("DESC");
  const news = await row<{ newest: string; beforeNews: string }>(
    "no message",
    `SELECT max(at) AS newest, min(at) AS beforeNews FROM (
       SELECT DISTINCT newest_at AS at FROM message_group_news
       WHERE customer_key = ${keyOf("customers")} AND newest_at <> '' ORDER BY newest_at DESC LIMIT 4)`,
    many.customerId,
  );
  const member = await row<{ memberId: string }>(
    "no team",
    `SELECT descendant_id AS memberId FROM team_links JOIN memberships AS m
       ON m.store_key = team_links.store_key AND m.customer_key = descendant_key
     WHERE team_links.store_key = ${keyOf("stores")} AND ancestor_key = ${keyOf("customers")} AND team_links.joined = 1
     ORDER BY ${size} DESC, descendant_id LIMIT 1`,
    wide.storeId,
    wide.customerId,
  );
  const { results: boards } = await database.prepare(BOARDS).all<Board>();
  return {
    dense: await place("DESC"),
    lone: await place("ASC"),
    manyGroups: { ...many, ...news },
    fewGroups: await groupsOf("ASC"),
    wideTeam: { ...wide, ...member },
    narrowTeam: await row<{ storeId: string; customerId: string }>(
      "no team of one",
      `${TEAM} WHERE joined = 1 AND ${size} = 1 ORDER BY stores.id, customers.id LIMIT 1`,
    ),
    manyCoupons: await couponsOf("count(*) DESC"),
    someCoupons: await couponsOf("abs(count(*) - 20)"),
    fewCoupons: await couponsOf("count(*)"),
    manyStores: await row<{ customerId: string }>(
      "no membership",
      `SELECT id AS customerId FROM customers WHERE erased = 0 ORDER BY stores_count DESC, id LIMIT 1`,
    ),
    // Names that somebody has together: the search for both finds a customer at every scale.
    name: await row<{ first: string; last: string }>(
      "no customer",
      `SELECT first_name AS first, last_name AS last FROM customers
       WHERE erased = 0 AND length(first_name) > 2 AND length(last_name) > 2
       GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT 1`,
    ),
    rare: await row<{ name: string }>(
      "no rare name",
      `SELECT last_name AS name FROM customers WHERE erased = 0 AND length(last_name) > 3
       GROUP BY last_name ORDER BY count(*), last_name DESC LIMIT 1`,
    ),
    chain: await row<{ company: string }>("no chain", "SELECT company FROM accounts ORDER BY key LIMIT 1"),
    misspelt: { customers: await misspelt(database, IN_CUSTOMERS), stores: await misspelt(database, IN_STORES) },
    busyBoard: await row<Board>(
      "no play",
      `SELECT stores.id AS locationId, eip_campaigns.id AS campaignId
       FROM (SELECT location_key, eip_campaign_key, count(*) AS plays FROM plays GROUP BY 1, 2)
       JOIN stores ON stores.key = location_key JOIN eip_campaigns ON eip_campaigns.key = eip_campaign_key
       ORDER BY plays DESC, 1, 2 LIMIT 1`,
    ),
    boards,
  };
}
