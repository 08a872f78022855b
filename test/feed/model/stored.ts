import { env } from "cloudflare:workers";
import { as } from "../../support/api.ts";

// What the service has stored and answers, in the words of the model.

// Each takes what the ids of a world begin with.
const QUERIES = {
  accounts: "SELECT id, company, deleted FROM accounts WHERE id LIKE replace(?, '-%', '_') ORDER BY key",
  stores: "SELECT id, account_id, name, latitude, deleted FROM public_stores WHERE id LIKE ? ORDER BY key",
  campaigns: `
    SELECT id, account_id, name, listed_stores IS NULL AS is_for_all, deleted
    FROM public_campaigns WHERE id LIKE ? ORDER BY key`,
  customers: "SELECT id, first_name, balance, stores_count, erased FROM customers WHERE id LIKE ? ORDER BY key",
  memberships: `
    SELECT store_id, customer_id, referrer_id, joined, members_1, members_2, members_3, members_4, members_5
    FROM public_memberships WHERE store_id LIKE ? ORDER BY 1, 2`,
  registrations: "SELECT campaign_id, customer_id FROM public_registrations WHERE customer_id LIKE ? ORDER BY 1, 2",
  entries: `
    SELECT id, customer_id, store_id, campaign_id, amount FROM public_balance_entries WHERE id LIKE ? ORDER BY 1`,
  earned: `
    SELECT campaign_id, store_id, listed, earned FROM public_campaign_stores
    WHERE campaign_id LIKE ? AND (listed = 1 OR earned > 0) ORDER BY 1, 2`,
  balances: "SELECT store_id, customer_id, balance FROM public_store_balances WHERE store_id LIKE ? ORDER BY 1, 2",
  friendships: `
    SELECT min(low.id, high.id) || '|' || max(low.id, high.id) AS pair, status
    FROM friendships JOIN customers AS low ON low.key = low_key JOIN customers AS high ON high.key = high_key
    WHERE low.id LIKE ? ORDER BY 1`,
  blocks: `
    SELECT customer_id, blocked.id AS blocked_id
    FROM public_blocks JOIN customers AS blocked ON blocked.key = blocked_key WHERE customer_id LIKE ? ORDER BY 1, 2`,
  coupons: `
    SELECT
      coupons.id, accounts.id AS account_id, kind, campaign_id, text ->> '$.name' AS name, created_at,
      coupons.deleted
    FROM coupons JOIN accounts ON accounts.key = coupons.account_key
    WHERE coupons.id LIKE ? ORDER BY coupons.key`,
  customerCoupons: `
    SELECT held.id, customer_id, coupons.id AS campaign_coupon_id, store_id, usage_count, held.created_at
    FROM public_customer_coupons AS held JOIN coupons ON coupons.key = campaign_coupon_key
    WHERE held.id LIKE ? ORDER BY 1`,
  groups: `
    SELECT message_groups.id, customers.id AS initial_customer_id
    FROM message_groups JOIN customers ON customers.key = initial_customer_key
    WHERE message_groups.id LIKE ? ORDER BY 1`,
  members: `
    SELECT group_id, customer_id FROM public_message_group_members WHERE group_id LIKE ? ORDER BY group_id, position`,
  states: `
    SELECT group_id, customer_id, read_at, notifications_disabled
    FROM public_message_states WHERE group_id LIKE ? ORDER BY 1, 2`,
  messages: "SELECT id, body FROM messages WHERE id LIKE ? ORDER BY 1",
};

/** What the database holds of a run's world; the views `public_…` must be there. */
export async function storedState(run: number): Promise<Record<string, unknown[]>> {
  const queries = Object.entries(QUERIES);
  const found = await env.DB.batch(queries.map(([, query]) => env.DB.prepare(query).bind(`${run}-%`)));
  return Object.fromEntries(queries.map(([name], index) => [name, found[index]?.results ?? []]));
}

type Item = Record<string, unknown>;

/** The ids of an account's campaigns as the endpoint answers them at latitude 1. */
export async function answeredCampaigns(customerId: string, accountId: string): Promise<unknown[]> {
  const path = "/api/v1/customer/campaigns/near-by-popular-campaigns";
  const { body } = await as(customerId).post(path, { latitude: 1, longitude: 3, single_account_id: accountId });
  return body.items.map(({ id }: Item) => id);
}

/** A customer's message groups as the endpoint answers them, without what the model does not know. */
export async function answeredGroups(customerId: string): Promise<Item[]> {
  const { body } = await as(customerId).get("/api/v1/customer/messages");
  return (body.items ?? []).map(({ group_image, initial_customer_avatar, last_customer_avatar, ...group }: Item) => ({
    ...group,
    group_members: (group.group_members as Item[]).map(({ avatar, customer_description, ...member }) => member),
  }));
}

/** A customer's combined coupon list as the endpoint answers it, in what the model knows. */
export async function answeredCoupons(customerId: string): Promise<Record<"store" | "mfg" | "digital", Item[]>> {
  const { body } = await as(customerId).get("/api/v1/customer/my-coupons");
  const { store = [], mfg = [], digital = [] } = body.items ?? {};
  const shared = ({ id, created_at, name, account_id }: Item, account: Item) => {
    return { id, created_at, name, account_id, company: account.company };
  };
  const held = (one: Item) => {
    const { campaign_coupon_id, campaign_id, store_name } = one;
    return { ...shared(one, one.account as Item), campaign_coupon_id, campaign_id, store_name };
  };
  return {
    store: store.map(held),
    mfg: mfg.map(held),
    digital: digital.map(({ coupon, account }: { coupon: Item; account: Item }) => shared(coupon, account)),
  };
}
