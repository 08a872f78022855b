import { rows } from "../../support/state.ts";
import { ACCOUNT, CALLER, CONTEST, coupon, FRIEND, HERE, OTHER_STORE, STORE } from "./program.ts";
import { type Columns, insertRows, keyOf, longText, numbered } from "./rows.ts";

/** A relation that may have any number of rows, in the shape that costs most. */
export interface Relation {
  /** What there are many of. */
  name: string;
  /** The rows to insert, table by table. */
  tables: Readonly<Record<string, Columns>>;
  /** How many there are first. Then there are twice as many. */
  count: number;
  /** A statement to run after the inserts. */
  after?: string | undefined;
  /** The requests that grow, by the beginning of their names, each with how many more rows they may read for a new row. */
  mayGrow: Readonly<Record<string, number>>;
}

const relation = (
  name: string,
  tables: Relation["tables"],
  { count = 200, mayGrow = {}, after }: Partial<Pick<Relation, "count" | "mayGrow" | "after">> = {},
): Relation => ({ name, tables, count, mayGrow, after });

/** Adds the rows of a relation whose numbers are above `from` and up to `to`. */
export async function grow({ tables, after }: Relation, from: number, to: number): Promise<void> {
  for (const [table, columns] of Object.entries(tables)) await insertRows(table, columns, from, to);
  if (after !== undefined) await rows(after);
}

const STAMP = "(SELECT stamp FROM program_state)";
const LONG_AGO = "'2020-01-01 00:00:00'";
const ALWAYS = { starts_at: LONG_AGO, ends_at: "'never'" };
const ENDED = { starts_at: LONG_AGO, ends_at: "'2021-01-01 23:59:59'" };
const NOT_BEGUN = { starts_at: "'2090-01-01 00:00:00'", ends_at: "'never'" };
const DELETED = { deleted: 1 };

const ofAccount = (prefix: string, columns: Columns) => ({ id: numbered(prefix), account_key: ACCOUNT, ...columns });
const made = (table: string, prefix: string) => keyOf(table, numbered(prefix));

const storesNearby = (prefix: string, more: Columns = {}) => ({ stores: ofAccount(prefix, { ...HERE, ...more }) });
/** Stores in the band of the stores nearby, but far away. */
const storesFarAway = (prefix: string, more: Columns = {}) =>
  storesNearby(prefix, { longitude: "-100 + i / 1e4", ...more });

const campaigns = (prefix: string, ...columns: Columns[]) => ({
  campaigns: ofAccount(prefix, Object.assign({ status: 1, details: "'{}'" }, ...columns)),
});
const NEARBY_KEYS = "(SELECT json_group_array(key) FROM stores WHERE id GLOB 'nearby*')";

/** The feed stores a membership, and then its end. */
const LEAVE = `UPDATE memberships SET joined = 0 WHERE joined = 1
  AND (customer_key IN (SELECT key FROM customers WHERE id GLOB 'leaver*') OR referrer_key = ${FRIEND})`;

const customers = (prefix: string) => ({
  customers: { id: numbered(prefix), first_name: numbered(prefix), last_name: "'Guest'", avatar: longText(200) },
});

const coupons = (prefix: string, columns: Columns) => ({
  coupons: ofAccount(prefix, { ends_at: "'never'", text: "'{}'", ...columns }),
});
const issued = (prefix: string, columns: Columns = {}) => ({
  customer_coupons: {
    id: numbered(prefix),
    customer_key: CALLER,
    campaign_coupon_key: coupon("short"),
    store_key: STORE,
    kind: "'store'",
    total_count: 1,
    ends_at: "'never'",
    ...columns,
  },
});

const holds = (prefix: string, columns: Columns) => ({
  till_holds: { id: numbered(prefix), store_key: STORE, held_until: "'9999-01-01'", state: "'held'", ...columns },
});

const contests = (prefix: string, ...columns: Columns[]) => ({
  eip_campaigns: ofAccount(prefix, Object.assign({}, ...columns)),
});
/** Employees with plays at the store in the contest. */
const players = (prefix: string, more: Columns = {}) => ({
  employees: ofAccount(prefix, { name: numbered(prefix), avatar: longText(2_000), ...more }),
  play_totals: {
    location_key: STORE,
    eip_campaign_key: CONTEST,
    employee_key: made("employees", prefix),
    runs: "i % 3",
    hits: "i % 5",
  },
});

/** Groups of the caller, each with a message of this time. */
const groups = (prefix: string, time: string, more: Columns = {}) => ({
  message_groups: {
    id: numbered(prefix),
    initial_customer_key: FRIEND,
    initial_life: 0,
    newest_id: numbered(prefix),
    newest_at: time,
    ...more,
  },
  messages: messagesOf(prefix, made("message_groups", prefix), time),
  message_group_members: { group_key: made("message_groups", prefix), customer_key: CALLER },
});
const messagesOf = (prefix: string, group: string, time: string) => ({
  id: numbered(prefix),
  group_key: group,
  customer_key: FRIEND,
  life: 0,
  body: longText(200),
  sent_at: time,
});

// What grows, with the most rows for a new one, and why. docs/contract/interface.md bounds most of it, by 4.1 to 4.6. For the
// others the entries of an index are read, because what they add up to would have to be written for each line of a feed.

/** 4.1: at most 10,000 pairs of a campaign with a store nearby that it lists, and 20,000 where it has earned. */
const NEARBY = { nearby: 4 };
/** 4.6: `campaigns_total` looks at 2,000 campaigns. */
const OF_CAMPAIGNS = { nearby: 4, me: 1 };
/**
 * 4.4 and 4.5: at most 5,000 coupons of a kind are listed, and filters look at these. A coupon that a customer holds ends when
 * it or its offer does, so no index has the order: an offer with a new end would write a row for each customer.
 */
const HELD_COUPONS = { coupons: 11, "my-coupons": 6, "till, coupons": 11 };
/** till.md, 2: of those that are over, a till sees the 50 that ended or were used last. No index has this order. */
const OVER = { "till, coupons": 5 };
/** till.md, 3: live holds are counted wherever their coupon is shown. A coupon has at most as many as it has uses. */
const HOLDS = { coupons: 4, "my-coupons": 4, "till, coupons": 4, till: 2 };
const COUPONS_WITH_HOLDS = { coupons: 12, "till, coupons": 15 };
const DIGITAL_COUPONS = { "my-coupons": 10 };
/**
 * `stores_count` is exact (4.6), but a soft deletion writes one row. So stores that are hidden are subtracted on read: either up
 * to 1,000 of them are looked up, or the stores that a customer has joined. `my-coupons` does the latter at the account.
 */
const HIDDEN = { team: 1, me: 2 };
const JOINED = { me: 4, "my-coupons": 1, "till, find": 1 };
/** 4.8: at most 1,000 accounts in an answer. A name of an account may change, so no index has their order. */
const ACCOUNTS = { me: 5, "my-coupons": 4, "till, find": 4 };
/** 4.7: ranks and ties are over all employees with plays at the store. A board is read once in 30 seconds. */
const BOARD = { leaderboard: 6 };

/** Every relation without a bound, and the tables in which it has its rows. */
export const RELATIONS: readonly Relation[] = [
  relation("accounts", { accounts: { id: "100000 + i", fields: "'{}'" } }),
  relation("deleted accounts", { accounts: { id: "200000 + i", fields: "'{}'", ...DELETED } }, { mayGrow: HIDDEN }),

  relation("stores of an account that are far away", storesFarAway("far")),
  relation("deleted stores", storesFarAway("gone", DELETED), { mayGrow: HIDDEN }),
  relation("deleted stores nearby", storesNearby("gone-nearby", DELETED), {
    count: 100,
    mayGrow: { ...NEARBY, ...HIDDEN },
  }),
  relation("stores nearby", storesNearby("nearby"), { count: 100, mayGrow: NEARBY }),

  relation("campaigns of an account", campaigns("all", ALWAYS), { mayGrow: OF_CAMPAIGNS }),
  relation("campaigns of an account that have ended", campaigns("ended", ENDED), { mayGrow: OF_CAMPAIGNS }),
  relation("campaigns of an account that have not begun", campaigns("later", NOT_BEGUN), { mayGrow: OF_CAMPAIGNS }),
  relation("deleted campaigns of an account", campaigns("removed", ALWAYS, DELETED)),
  relation(
    "campaigns of a store far away",
    campaigns("away", ALWAYS, { listed_stores: `json_array(${OTHER_STORE})` }),
    { mayGrow: OF_CAMPAIGNS },
  ),
  relation("campaigns of a store nearby", campaigns("near", ALWAYS, { listed_stores: `json_array(${STORE})` }), {
    mayGrow: OF_CAMPAIGNS,
  }),
  relation("campaigns that list each store nearby", campaigns("each", ALWAYS, { listed_stores: NEARBY_KEYS }), {
    count: 150,
    mayGrow: OF_CAMPAIGNS,
  }),
  relation(
    "campaigns that have ended and list each store nearby",
    campaigns("over", ENDED, { listed_stores: NEARBY_KEYS }),
    { count: 100, mayGrow: OF_CAMPAIGNS },
  ),
  relation(
    "campaigns that have earned at a store nearby",
    {
      campaign_earnings: { store_key: STORE, campaign_key: made("campaigns", "all"), earned: "i" },
    },
    { mayGrow: { nearby: 14 } },
  ),
  relation(
    "campaigns that have earned at each store nearby",
    {
      campaign_earnings: {
        store_key: keyOf("stores", numbered("nearby", "1 + i % 100")),
        campaign_key: keyOf("campaigns", numbered("all", "1 + i / 100")),
        earned: "i",
      },
    },
    { mayGrow: { nearby: 3 } },
  ),

  relation("customers", customers("customer")),
  relation(
    "stores that a customer has joined",
    {
      memberships: { store_key: made("stores", "far"), member_key: CALLER },
    },
    { mayGrow: JOINED },
  ),
  relation(
    "accounts at which a customer has joined a store",
    {
      stores: { id: numbered("elsewhere"), account_key: keyOf("accounts", "CAST(100000 + i AS TEXT)") },
      memberships: { store_key: made("stores", "elsewhere"), member_key: CALLER },
    },
    { mayGrow: ACCOUNTS },
  ),
  relation(
    "stores that a customer has left",
    {
      memberships: { store_key: made("stores", "nearby"), member_key: CALLER, referrer_member_key: FRIEND },
    },
    { count: 100, after: LEAVE },
  ),
  relation("members of a team", {
    memberships: { store_key: STORE, member_key: made("customers", "customer"), referrer_member_key: CALLER },
  }),
  relation(
    "members who have left a team",
    {
      ...customers("leaver"),
      memberships: { store_key: STORE, member_key: made("customers", "leaver"), referrer_member_key: CALLER },
    },
    { after: LEAVE },
  ),
  relation(
    "stores that the members of a team have joined",
    {
      memberships: {
        store_key: keyOf("stores", numbered("far", "1 + (i - 1) / 50")),
        member_key: keyOf("customers", numbered("customer", "1 + (i - 1) % 50")),
      },
    },
    { count: 5_000, mayGrow: { team: 1 } },
  ),
  relation("registrations of a customer", {
    registrations: { customer_key: CALLER, campaign_key: made("campaigns", "all") },
  }),
  relation("friends of a customer", {
    friendships: { low_key: CALLER, high_key: made("customers", "customer"), status: 1 },
  }),
  relation("customers whom a customer has blocked", {
    blocks: { customer_key: CALLER, blocked_key: made("customers", "customer") },
  }),
  relation("customers who have blocked a customer", {
    blocks: { customer_key: made("customers", "customer"), blocked_key: CALLER },
  }),

  relation(
    "entries of a customer",
    {
      balance_entries: {
        id: numbered("entry"),
        customer_key: CALLER,
        store_key: STORE,
        amount: 1,
        created_at: "datetime('2026-01-01', i || ' seconds')",
      },
    },
    { count: 1_000 },
  ),
  relation(
    "summaries of a customer",
    {
      balance_entries: {
        id: `printf('sealed:%08x%08x', ${CALLER}, ${made("stores", "far")})`,
        customer_key: CALLER,
        store_key: made("stores", "far"),
        amount: 1,
        created_at: LONG_AGO,
        description: "'1'",
      },
    },
    // 4.9: the sum at each account, and whether entries were added up since the first page.
    { mayGrow: { "me/entries": 2 } },
  ),
  relation("balances of a customer", {
    store_balances: { store_key: made("stores", "far"), customer_key: CALLER, balance: 1 },
  }),
  relation("earnings of a member", {
    token_earnings: { id: numbered("earning"), store_key: STORE, member_key: CALLER, level_no: 1 },
  }),

  relation("coupons of an account", coupons("store-coupon", { kind: "'store'" })),
  relation("digital coupons of an account", coupons("digital", { kind: "'digital'" }), { mayGrow: DIGITAL_COUPONS }),
  relation("digital coupons of an account that have ended", coupons("old", { kind: "'digital'", ends_at: LONG_AGO })),
  relation("deleted digital coupons of an account", coupons("withdrawn", { kind: "'digital'", ...DELETED })),
  relation("coupons that a customer has used up", issued("used", { usage_count: 1 }), { mayGrow: OVER }),
  relation("coupons of a customer that have ended", issued("past", { ends_at: LONG_AGO }), { mayGrow: OVER }),
  relation("deleted coupons of a customer", issued("of-removed", { campaign_coupon_key: coupon("removed") }), {
    mayGrow: HELD_COUPONS,
  }),
  relation("coupons of a customer from deleted stores", issued("of-gone", { store_key: made("stores", "gone") }), {
    mayGrow: HELD_COUPONS,
  }),
  relation("coupons of a customer", issued("held"), { mayGrow: HELD_COUPONS }),
  relation("uses of one coupon with long lines", issued("long", { campaign_coupon_key: coupon("long") }), {
    mayGrow: HELD_COUPONS,
  }),
  relation(
    "digital coupons of an account with long lines",
    coupons("digital-long", { kind: "'digital'", folded_text: longText(8_000) }),
    { mayGrow: DIGITAL_COUPONS },
  ),
  relation("redemptions of a coupon", {
    redemptions: {
      id: numbered("redemption"),
      customer_coupon_key: "'busy'",
      store_key: STORE,
      redeemed_at: LONG_AGO,
    },
  }),
  relation("holds of a coupon that have ended", holds("over", { customer_coupon_key: "'busy'", held_until: LONG_AGO })),
  relation("holds of a coupon", holds("of-one", { customer_coupon_key: "'busy'" }), { mayGrow: HOLDS }),
  relation("coupons of a customer that tills hold", holds("of-many", { customer_coupon_key: numbered("held") }), {
    mayGrow: COUPONS_WITH_HOLDS,
  }),
  relation("coupons of others", issued("others", { customer_key: FRIEND })),

  relation("contests of an account", contests("contest", ALWAYS), { mayGrow: { "leaderboard of all": 2 } }),
  relation("contests of an account that have ended", contests("ended", ENDED)),
  relation("deleted contests of an account", contests("removed", ALWAYS, DELETED)),
  relation("employees of a board", players("player"), { mayGrow: BOARD }),
  relation("deleted employees of a board", players("former", DELETED), { mayGrow: BOARD }),
  relation("plays of an employee", {
    plays: {
      id: numbered("play"),
      eip_campaign_key: CONTEST,
      location_key: STORE,
      employee_key: keyOf("employees", "'employee'"),
    },
  }),

  relation("groups of a customer", groups("group", LONG_AGO)),
  relation("groups of a customer without a message", {
    message_groups: { id: numbered("silent"), initial_customer_key: FRIEND, initial_life: 0 },
    message_group_members: { group_key: made("message_groups", "silent"), customer_key: CALLER },
  }),
  // Only until the second is over.
  relation("groups of a customer with a message of this second", groups("now", STAMP), {
    mayGrow: { messages: 2 },
  }),
  relation("messages of a group", { messages: messagesOf("old", keyOf("message_groups", "'group'"), LONG_AGO) }),
  relation("states of groups", {
    message_states: { group_key: made("message_groups", "group"), customer_key: CALLER, notifications_disabled: 1 },
  }),
  relation("former listeners", { listeners: { customer_id: numbered("former"), until: LONG_AGO } }),
  relation("changes that nobody was notified of", {
    outbox: { version: "1 + i", topic: "'balance'", customers: "'[]'", stored_at: LONG_AGO },
  }),
];

/** Texts that are long in many rows, or read for many rows; and the request that reads most of these rows. */
export const TEXTS = [
  { relation: "employees of a board", text: "employees.avatar", length: 2_000, request: "leaderboard of a contest" },
  {
    relation: "uses of one coupon with long lines",
    text: "coupons.folded_text",
    length: 8_000,
    request: "my-coupons, search in all",
  },
] as const;

/** The tables without a relation above. Each is bounded, or follows one of these relations by triggers. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  refusals: "always empty",
  fresh_events: "always empty",
  program_state: "one row",
  retention_progress: "a row for a kind",
  jobs: "a row for a job",
  merchant_vocabulary: "searches",
  customer_vocabulary: "searches",
  removed_accounts: "searches",
  removed_words: "searches",
  requests: "no endpoint of a customer reads it",
  customer_requests: "only the operator's commands read it",
  campaign_stores: "triggers: campaigns that list each store nearby",
  customer_accounts: "triggers: accounts at which a customer has joined a store",
  team_links: "triggers: members of a team",
  message_group_news: "triggers: groups of a customer",
};
