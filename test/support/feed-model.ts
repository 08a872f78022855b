// The rules of docs/contract/feed.md, 1 and 2, one by one, for the kinds whose state others lean on: slow, simple, and
// in memory.

export type ModelLine = Record<string, unknown> & { record: string; deleted?: boolean };
export type Token = readonly string[] | "*";

interface Tables {
  accounts: Map<string, { company: string; deleted: number }>;
  stores: Map<string, { account_id: string; name: string; latitude: number; deleted: number }>;
  campaigns: Map<string, { account_id: string; name: string; stores: string[] | null; deleted: number }>;
  customers: Map<string, { first_name: string; erased: number }>;
  memberships: Map<string, { store_id: string; customer_id: string; referrer_id: string | null; joined: number }>;
  registrations: Map<string, { campaign_id: string; customer_id: string }>;
  entries: Map<string, { customer_id: string; store_id: string; campaign_id: string | null; amount: number }>;
}

export interface Expected {
  answer: { status: number; accepted?: number; ignored?: number };
  badFields: string[];
}

const FIELDS_IN_ORDER = ["account_id", "store_ids", "store_id", "campaign_id", "customer_id", "referrer_id"];

const pair = (one: unknown, other: unknown) => `${one}|${other}`;
const text = (value: unknown) => String(value);

export class FeedModel {
  #tables: Tables = {
    accounts: new Map(),
    stores: new Map(),
    campaigns: new Map(),
    customers: new Map(),
    memberships: new Map(),
    registrations: new Map(),
    entries: new Map(),
  };

  apply(lines: readonly ModelLine[], token: Token): Expected {
    const before = this.#tables;
    const after = structuredClone(before);
    const deduplicated = deduplicate(lines);
    const ignoredDeletes = deduplicated.filter(({ line }) => line.deleted && !remove(after, line)).length;
    // New records are stored in the order of their first lines.
    for (const { line } of deduplicated.filter(({ line }) => !line.deleted).sort((a, b) => a.order - b.order)) {
      write(after, before, line);
    }
    endErased(after);

    if (token !== "*" && lines.some((line) => isForeign(line, token, before, after))) {
      return { answer: { status: 403 }, badFields: [] };
    }
    const fresh = deduplicated.filter(
      ({ line }) => !(line.record === "balance_entry" && before.entries.has(text(line.id))),
    );
    const badFields = fresh
      .filter(({ line }) => !line.deleted)
      .sort((one, other) => one.number - other.number)
      .flatMap(({ line, number }) =>
        FIELDS_IN_ORDER.filter((field) => isBad(field, line, number, lines, before, after)).map(
          (field) => `line ${number}.${field}`,
        ),
      );
    if (badFields.length > 0) return { answer: { status: 422 }, badFields };

    this.#tables = after;
    const events = lines.filter(({ record }) => record === "balance_entry").length;
    const freshEvents = fresh.filter(({ line }) => line.record === "balance_entry").length;
    const ignored = ignoredDeletes + events - freshEvents;
    return { answer: { status: 200, accepted: lines.length - ignored, ignored }, badFields: [] };
  }

  /** The tables as the database shows them, with every total counted anew. */
  state() {
    const { accounts, stores, campaigns, customers, memberships, registrations, entries } = this.#tables;
    const byKey = <Row extends object>(map: Map<string, Row>) => [...map].sort().map(([, row]) => row);
    const all = [...entries].map(([id, entry]) => ({ id, ...entry }));
    const joined = byKey(memberships).filter((one) => one.joined === 1);
    const below = (storeId: string, customerId: string, depth: number): number =>
      joined.filter((one) => one.store_id === storeId && ancestor(memberships, one, depth) === customerId).length;
    const sums = (
      key: (entry: (typeof all)[number]) => string | null,
      amount = (entry: (typeof all)[number]) => entry.amount,
    ) => {
      const totals = new Map<string, number>();
      for (const entry of all) {
        const name = key(entry);
        if (name !== null) totals.set(name, (totals.get(name) ?? 0) + amount(entry));
      }
      return totals;
    };
    const balance = sums(({ customer_id }) => customer_id);
    const atStore = sums(({ store_id, customer_id }) => pair(store_id, customer_id));
    const earned = sums(({ campaign_id, store_id, amount }) =>
      campaign_id !== null && amount > 0 ? pair(campaign_id, store_id) : null,
    );
    const listed = [...campaigns].flatMap(([id, { stores: own }]) => (own ?? []).map((storeId) => pair(id, storeId)));
    const split = (name: string) => name.split("|") as [string, string];
    return {
      accounts: [...accounts].map(([id, row]) => ({ id, ...row })),
      stores: [...stores].map(([id, row]) => ({ id, ...row })),
      campaigns: [...campaigns].map(([id, { stores: own, ...row }]) => ({
        id,
        ...row,
        is_for_all: own === null ? 1 : 0,
      })),
      customers: [...customers].map(([id, row]) => ({
        id,
        ...row,
        balance: balance.get(id) ?? 0,
        stores_count: joined.filter(({ customer_id }) => customer_id === id).length,
      })),
      memberships: byKey(memberships).map((one) => ({
        ...one,
        members_1: below(one.store_id, one.customer_id, 1),
        members_2: below(one.store_id, one.customer_id, 2),
        members_3: below(one.store_id, one.customer_id, 3),
      })),
      registrations: byKey(registrations),
      entries: all.sort((one, other) => (one.id < other.id ? -1 : 1)),
      earned: [...new Set([...listed, ...earned.keys()])].sort().map((name) => {
        const [campaign_id, store_id] = split(name);
        return { campaign_id, store_id, listed: listed.includes(name) ? 1 : 0, earned: earned.get(name) ?? 0 };
      }),
      balances: [...atStore].sort().map(([name, sum]) => {
        const [store_id, customer_id] = split(name);
        return { store_id, customer_id, balance: sum };
      }),
    };
  }
}

function ancestor(
  memberships: Tables["memberships"],
  member: { store_id: string; customer_id: string },
  depth: number,
) {
  let id: string | null = member.customer_id;
  for (let up = 0; up < depth && id !== null; up += 1)
    id = memberships.get(pair(member.store_id, id))?.referrer_id ?? null;
  return id;
}

interface DeduplicatedLine {
  line: ModelLine;
  number: number;
  order: number;
}

function keyOf(line: ModelLine): string {
  return JSON.stringify([
    line.record,
    line.id,
    line.store_id && !line.id && line.store_id,
    !line.id && line.campaign_id,
    !line.id && line.customer_id,
  ]);
}

/** The last line of each state record, the first of each event, with the number of the first line that writes it. */
function deduplicate(lines: readonly ModelLine[]): DeduplicatedLine[] {
  const numbered = lines.map((line, index) => ({ line, number: index + 1 }));
  return numbered
    .filter(({ line, number }) => {
      const same = numbered.filter((other) => keyOf(other.line) === keyOf(line));
      const counts = line.record === "balance_entry" ? same[0] : same.at(-1);
      return counts?.number === number;
    })
    .map(({ line, number }) => {
      const first = numbered.find((other) => keyOf(other.line) === keyOf(line) && !other.line.deleted);
      return { line, number, order: first?.number ?? number };
    });
}

/** Deletes; false where there was nothing to delete. */
function remove(tables: Tables, line: ModelLine): boolean {
  const id = text(line.id);
  if (line.record === "account") return softDelete(tables.accounts.get(id));
  if (line.record === "store") return softDelete(tables.stores.get(id));
  if (line.record === "campaign") return softDelete(tables.campaigns.get(id));
  if (line.record === "registration") return tables.registrations.delete(pair(line.campaign_id, line.customer_id));
  if (line.record === "membership") {
    const membership = tables.memberships.get(pair(line.store_id, line.customer_id));
    if (membership?.joined !== 1) return false;
    membership.joined = 0;
    return true;
  }
  const customer = tables.customers.get(id);
  if (customer === undefined || customer.erased === 1) return false;
  tables.customers.set(id, { first_name: "", erased: 1 });
  return true;
}

/** What ends with a customer ends after the request's own deletes have been counted. */
function endErased(tables: Tables): void {
  for (const [id] of [...tables.customers].filter(([, { erased }]) => erased === 1)) {
    for (const membership of tables.memberships.values()) if (membership.customer_id === id) membership.joined = 0;
    for (const [key, { customer_id }] of [...tables.registrations])
      if (customer_id === id) tables.registrations.delete(key);
  }
}

function softDelete(row: { deleted: number } | undefined): boolean {
  if (row === undefined || row.deleted === 1) return false;
  row.deleted = 1;
  return true;
}

function write(after: Tables, before: Tables, line: ModelLine): void {
  const id = text(line.id);
  const [account_id, name] = [text(line.account_id), text(line.name)];
  if (line.record === "account") after.accounts.set(id, { company: text(line.company), deleted: 0 });
  if (line.record === "store") after.stores.set(id, { account_id, name, latitude: Number(line.latitude), deleted: 0 });
  if (line.record === "campaign") {
    const stores = line.store_ids === undefined || line.store_ids === "all" ? null : (line.store_ids as string[]);
    after.campaigns.set(id, { account_id, name, stores, deleted: 0 });
  }
  if (line.record === "customer") after.customers.set(id, { first_name: text(line.first_name), erased: 0 });
  if (line.record === "membership") {
    const [store_id, customer_id] = [text(line.store_id), text(line.customer_id)];
    const stored = before.memberships.get(pair(store_id, customer_id))?.referrer_id ?? null;
    const referrer_id = (line.referrer_id as string | null) ?? stored;
    after.memberships.set(pair(store_id, customer_id), { store_id, customer_id, referrer_id, joined: 1 });
  }
  if (line.record === "registration") {
    const [campaign_id, customer_id] = [text(line.campaign_id), text(line.customer_id)];
    after.registrations.set(pair(campaign_id, customer_id), { campaign_id, customer_id });
  }
  if (line.record === "balance_entry" && !before.entries.has(id)) {
    const [customer_id, store_id] = [text(line.customer_id), text(line.store_id)];
    const campaign_id = (line.campaign_id as string | null) ?? null;
    after.entries.set(id, { customer_id, store_id, campaign_id, amount: Math.round(Number(line.amount) * 100) });
  }
}

/** Whether the line touches an account that the token does not cover. */
function isForeign(line: ModelLine, token: readonly string[], before: Tables, after: Tables): boolean {
  if (line.record === "customer") return true;
  const touched: (string | undefined)[] = [];
  const store = (id: unknown) => touched.push((before.stores.get(text(id)) ?? after.stores.get(text(id)))?.account_id);
  const campaign = (id: unknown) =>
    touched.push((before.campaigns.get(text(id)) ?? after.campaigns.get(text(id)))?.account_id);
  if (line.record === "account") touched.push(text(line.id));
  if (line.account_id !== undefined) touched.push(text(line.account_id));
  if (line.record === "store") store(line.id);
  if (line.record === "campaign") campaign(line.id);
  if (line.store_id !== undefined) store(line.store_id);
  if (typeof line.campaign_id === "string") campaign(line.campaign_id);
  if (Array.isArray(line.store_ids)) for (const id of line.store_ids) store(id);
  if (line.record === "balance_entry") store(before.entries.get(text(line.id))?.store_id);
  return touched.some((account) => account !== undefined && !token.includes(account));
}

/** Whether a field of a line that counts is bad once the whole request is applied. */
function isBad(
  field: string,
  line: ModelLine,
  number: number,
  lines: readonly ModelLine[],
  before: Tables,
  after: Tables,
): boolean {
  const value = line[field];
  if (value === undefined || value === null || (field === "store_ids" && !Array.isArray(value))) return false;
  const isStored = (id: unknown) => after.customers.get(text(id))?.erased === 0;
  switch (field) {
    case "account_id": {
      const stored = line.record === "store" ? before.stores.get(text(line.id)) : before.campaigns.get(text(line.id));
      return !after.accounts.has(text(value)) || (stored !== undefined && stored.account_id !== value);
    }
    case "store_ids":
      return (value as string[]).some((id) => {
        const store = after.stores.get(id);
        // A store that would move away from its account stays where it is stored.
        return store === undefined || (before.stores.get(id) ?? store).account_id !== line.account_id;
      });
    case "store_id":
      return !after.stores.has(text(value));
    case "customer_id":
      return !isStored(value);
    case "campaign_id": {
      const campaign = before.campaigns.get(text(value)) ?? after.campaigns.get(text(value));
      const store = before.stores.get(text(line.store_id)) ?? after.stores.get(text(line.store_id));
      const crosses =
        line.record === "balance_entry" && store !== undefined && campaign?.account_id !== store.account_id;
      return campaign === undefined || crosses;
    }
    default: {
      const own = before.memberships.get(pair(line.store_id, line.customer_id));
      const changes = own !== undefined && own.referrer_id !== value;
      const isMember = (tables: Tables) => tables.memberships.has(pair(line.store_id, value));
      const isEarlier = lines
        .slice(0, number - 1)
        .some(
          (one) =>
            one.record === "membership" &&
            !one.deleted &&
            pair(one.store_id, one.customer_id) === pair(line.store_id, value),
        );
      const isThere = isMember(before) || (isEarlier && isMember(after));
      const isMissing = after.customers.has(text(line.customer_id)) && !isThere;
      return changes || !isStored(value) || value === line.customer_id || isMissing;
    }
  }
}
