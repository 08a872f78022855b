import { changes, type ModelKind, type ModelLine, type Request, softDelete, text, textOrNull, wrong } from "./kind.ts";
import { isCustomer, pair } from "./tables.ts";

// Accounts, stores, campaigns, customers, and what customers do at stores.

export const account: ModelKind = {
  keyOf: ({ id }) => id,
  write: ({ id, company }, { after }) => after.accounts.set(text(id), { company: text(company), deleted: 0 }),
  remove: ({ id }, { accounts }) => softDelete(accounts.get(text(id))),
  accounts: ({ id }) => [text(id)],
  badFields: () => [],
};

export const store: ModelKind = {
  keyOf: ({ id }) => id,
  write: (line, { after: { accounts, stores } }) => {
    const [id, account_id] = [text(line.id), text(line.account_id)];
    if (!accounts.has(account_id) || changes(stores.get(id), line, "account_id")) return;
    stores.set(id, { account_id, name: text(line.name), latitude: Number(line.latitude), deleted: 0 });
  },
  remove: ({ id }, { stores }) => softDelete(stores.get(text(id))),
  accounts: ({ id, account_id }, { after }) => [
    account_id === undefined ? undefined : text(account_id),
    after.stores.get(text(id))?.account_id,
  ],
  badFields: (line, { after: { accounts, stores } }) =>
    wrong({
      account_id: !accounts.has(text(line.account_id)) || changes(stores.get(text(line.id)), line, "account_id"),
    }),
};

/** The stores that a campaign's line lists; null for all. */
const listOf = ({ store_ids }: ModelLine) => (Array.isArray(store_ids) ? store_ids.map(text) : null);

export const campaign: ModelKind = {
  keyOf: ({ id }) => id,
  write: (line, { after: { accounts, campaigns } }) => {
    const [id, account_id] = [text(line.id), text(line.account_id)];
    if (!accounts.has(account_id) || changes(campaigns.get(id), line, "account_id")) return;
    campaigns.set(id, { account_id, name: text(line.name), stores: listOf(line), deleted: 0 });
  },
  remove: ({ id }, { campaigns }) => softDelete(campaigns.get(text(id))),
  accounts: (line, { after: { campaigns, stores } }) => [
    line.account_id === undefined ? undefined : text(line.account_id),
    campaigns.get(text(line.id))?.account_id,
    ...(listOf(line) ?? []).map((id) => stores.get(id)?.account_id),
  ],
  badFields: (line, { after: { accounts, campaigns, stores } }) =>
    wrong({
      account_id: !accounts.has(text(line.account_id)) || changes(campaigns.get(text(line.id)), line, "account_id"),
      store_ids: (listOf(line) ?? []).some((id) => stores.get(id)?.account_id !== line.account_id),
    }),
};

export const customer: ModelKind = {
  keyOf: ({ id }) => id,
  isGlobal: true,
  write: ({ id, first_name }, { after }) => after.customers.set(text(id), { first_name: text(first_name), erased: 0 }),
  remove: ({ id }, tables) => {
    if (!isCustomer(tables, id)) return false;
    tables.customers.set(text(id), { first_name: "", erased: 1 });
    return true;
  },
  badFields: () => [],
};

export const membership: ModelKind = {
  keyOf: ({ store_id, customer_id }) => pair(store_id, customer_id),
  write: (line, { after }) => {
    const [store_id, customer_id] = [text(line.store_id), text(line.customer_id)];
    if (!after.stores.has(store_id) || !isCustomer(after, customer_id)) return;
    const stored = after.memberships.get(pair(store_id, customer_id));
    const referrer_id = stored?.referrer_id ?? textOrNull(line.referrer_id);
    after.memberships.set(pair(store_id, customer_id), { store_id, customer_id, referrer_id, joined: 1 });
  },
  remove: ({ store_id, customer_id }, { memberships }) => {
    const stored = memberships.get(pair(store_id, customer_id));
    if (stored?.joined !== 1) return false;
    stored.joined = 0;
    return true;
  },
  accounts: ({ store_id }, { after }) => [after.stores.get(text(store_id))?.account_id],
  badFields: (line, request, number) =>
    wrong({
      store_id: !request.after.stores.has(text(line.store_id)),
      customer_id: !isCustomer(request.after, line.customer_id),
      referrer_id: typeof line.referrer_id === "string" && isBadReferrer(line, request, number),
    }),
};

/** The referrer is fixed, another customer, and a member before: stored, or on an earlier line. */
function isBadReferrer(line: ModelLine, { lines, before, after }: Request, number: number): boolean {
  const { store_id, customer_id, referrer_id } = line;
  const [own, above] = [pair(store_id, customer_id), pair(store_id, referrer_id)];
  const isEarlier = lines
    .slice(0, number - 1)
    .some((one) => one.record === "membership" && !one.deleted && membership.keyOf(one) === above);
  const isThere = before.memberships.has(above) || (isEarlier && after.memberships.has(above));
  const isMissing = isCustomer(after, customer_id) && !isThere;
  const isBad = referrer_id === customer_id || !isCustomer(after, referrer_id) || isMissing;
  return isBad || changes(before.memberships.get(own), line, "referrer_id");
}

/** Who has left still earns. */
export const tokenEarning: ModelKind = {
  keyOf: ({ id }) => id,
  isEvent: true,
  write: (line, { after }) => {
    const [customer_id, store_id] = [text(line.customer_id), text(line.store_id)];
    const tokens = Math.round(Number(line.tokens) * 100);
    after.earnings.set(text(line.id), { customer_id, store_id, level_no: Number(line.level_no), tokens });
  },
  accounts: ({ store_id }, { after }) => [after.stores.get(text(store_id))?.account_id],
  badFields: ({ customer_id, store_id }, { after }) => {
    const isStore = after.stores.has(text(store_id));
    const isMember = after.memberships.has(pair(store_id, customer_id));
    return wrong({
      store_id: !isStore,
      customer_id: !isCustomer(after, customer_id) || (isStore && !isMember),
    });
  },
};

export const registration: ModelKind = {
  keyOf: ({ campaign_id, customer_id }) => pair(campaign_id, customer_id),
  write: (line, { after }) => {
    const [campaign_id, customer_id] = [text(line.campaign_id), text(line.customer_id)];
    after.registrations.set(pair(campaign_id, customer_id), { campaign_id, customer_id });
  },
  remove: ({ campaign_id, customer_id }, { registrations }) => registrations.delete(pair(campaign_id, customer_id)),
  accounts: ({ campaign_id }, { after }) => [after.campaigns.get(text(campaign_id))?.account_id],
  badFields: ({ campaign_id, customer_id }, { after }) =>
    wrong({
      campaign_id: !after.campaigns.has(text(campaign_id)),
      customer_id: !isCustomer(after, customer_id),
    }),
};

export const balanceEntry: ModelKind = {
  keyOf: ({ id }) => id,
  isEvent: true,
  write: (line, { after }) => {
    const [customer_id, store_id] = [text(line.customer_id), text(line.store_id)];
    const amount = Math.round(Number(line.amount) * 100);
    after.entries.set(text(line.id), { customer_id, store_id, campaign_id: textOrNull(line.campaign_id), amount });
  },
  accounts: ({ id, store_id, campaign_id }, { before, after }) => [
    after.stores.get(text(store_id))?.account_id,
    after.campaigns.get(text(campaign_id))?.account_id,
    after.stores.get(before.entries.get(text(id))?.store_id ?? "")?.account_id,
  ],
  badFields: ({ customer_id, store_id, campaign_id }, { after }) => {
    const [own, booked] = [after.stores.get(text(store_id)), after.campaigns.get(text(campaign_id))];
    const crosses = own !== undefined && booked?.account_id !== own.account_id;
    return wrong({
      customer_id: !isCustomer(after, customer_id),
      store_id: own === undefined,
      campaign_id: typeof campaign_id === "string" && (booked === undefined || crosses),
    });
  },
};
