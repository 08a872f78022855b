// Teams by docs/contract/interface.md, 4.3: nothing is derived, everything is counted when it is asked for.

const DEPTHS = [1, 2, 3, 4, 5];

export interface Join {
  store: number;
  customer: number;
  referrer: number | null;
}

interface Membership {
  referrer: number | null;
  joined: boolean;
}

export interface Ask {
  store: number;
  caller: number;
  root: number;
  level: number | null;
  offset: number;
}

export class Program {
  /** By customer; null while the customer is erased. */
  readonly names: (string | null)[];
  readonly ids: readonly string[];
  readonly #members: Map<number, Membership>[];
  readonly #deletedStores = new Set<number>();
  readonly #friends = new Map<string, 0 | 1>();
  readonly #balances = new Map<string, number>();
  readonly #tokens = new Map<string, number>();

  constructor(ids: readonly string[], names: readonly string[], stores: number) {
    this.ids = ids;
    this.names = [...names];
    this.#members = Array.from({ length: stores }, () => new Map());
  }

  /**
   * Takes the memberships of one request, in the order of its lines, all or none: whether docs/contract/feed.md, 1
   * allows them.
   */
  join(lines: readonly Join[]): boolean {
    const deduplicated = new Map(lines.map((line, place) => [`${line.store} ${line.customer}`, { line, place }]));
    const members = this.#members.map((store) => new Map([...store].map(([customer, one]) => [customer, { ...one }])));
    for (const { line, place } of deduplicated.values()) {
      const { store, customer, referrer } = line;
      const stored = this.#members[store]?.get(customer);
      const isEarlier = lines.slice(0, place).some((one) => one.store === store && one.customer === referrer);
      if (this.names[customer] === null) return false;
      if (referrer !== null) {
        if (this.names[referrer] === null || referrer === customer) return false;
        if (stored !== undefined && stored.referrer !== referrer) return false;
        if (!isEarlier && !this.#members[store]?.has(referrer)) return false;
      }
      members[store]?.set(customer, { referrer: referrer ?? stored?.referrer ?? null, joined: true });
    }
    if (members.some(hasCircle)) return false;
    for (const [store, one] of members.entries()) this.#members[store] = one;
    return true;
  }

  leave(store: number, customer: number): void {
    const member = this.#members[store]?.get(customer);
    if (member !== undefined) member.joined = false;
  }

  write(customer: number, name: string): void {
    this.names[customer] = name;
  }

  erase(customer: number): void {
    this.names[customer] = null;
    for (const store of this.#members.keys()) this.leave(store, customer);
    for (const pair of [...this.#friends.keys()])
      if (pair.split(" ").includes(String(customer))) this.#friends.delete(pair);
  }

  softDelete(store: number, isDeleted: boolean): void {
    if (isDeleted) this.#deletedStores.add(store);
    else this.#deletedStores.delete(store);
  }

  befriend(one: number, other: number, status: 0 | 1): void {
    this.#friends.set(`${Math.min(one, other)} ${Math.max(one, other)}`, status);
  }

  book(store: number, customer: number, hundredths: number): void {
    add(this.#balances, `${store} ${customer}`, hundredths);
  }

  earn(store: number, customer: number, level: number, hundredths: number): void {
    add(this.#tokens, `${store} ${customer} ${level}`, hundredths);
  }

  hasMembership(store: number, customer: number): boolean {
    return this.#members[store]?.has(customer) ?? false;
  }

  /** How many of those now joined are at each depth below a member. */
  sizes(store: number, customer: number): number[] {
    return DEPTHS.map((depth) => this.#below(store, customer).filter((one) => one.depth === depth).length);
  }

  /** Every membership there ever was, with its totals, as the database derives them. */
  totals(): unknown[] {
    return this.#members.flatMap((members, store) =>
      [...members].map(([customer, { joined }]) => [store, this.ids[customer], joined, ...this.sizes(store, customer)]),
    );
  }

  /** The answer, or null where it is 404. */
  team({ store, caller, root, level, offset }: Ask): unknown[] | null {
    if (this.#deletedStores.has(store)) return null;
    const isMember = this.#members[store]?.get(caller)?.joined ?? false;
    if (root !== caller && !(isMember && this.#below(store, caller).some(({ customer }) => customer === root)))
      return null;
    if (!isMember) return [];
    return this.#below(store, root)
      .filter(({ depth }) => level === null || depth === level)
      .map(({ customer, depth }) => this.#seen(store, caller, customer, depth))
      .sort(byDepthNameId)
      .slice(offset);
  }

  #seen(store: number, caller: number, customer: number, depth: number) {
    const joined = [...this.#members.keys()].filter((one) => this.#members[one]?.get(customer)?.joined);
    const sizes = this.sizes(store, customer);
    return {
      id: this.ids[customer] ?? "",
      name: this.names[customer] ?? "",
      friend_status: this.#friends.get(`${Math.min(caller, customer)} ${Math.max(caller, customer)}`) ?? -1,
      team_store_count: joined.filter((one) => !this.#deletedStores.has(one)).length,
      total_balance: (this.#balances.get(`${store} ${customer}`) ?? 0) / 100,
      current_level: depth,
      levels: DEPTHS.map((level) => ({
        level_no: level,
        total_members: sizes[level - 1],
        total_tokens_earned: (this.#tokens.get(`${store} ${customer} ${level}`) ?? 0) / 100,
      })),
    };
  }

  /** The members now joined who are 1 to 5 levels below, found by walking up from each. */
  #below(store: number, root: number): { customer: number; depth: number }[] {
    const members = this.#members[store] ?? new Map<number, Membership>();
    return [...members].flatMap(([customer, { joined }]) => {
      let above = members.get(customer)?.referrer ?? null;
      for (const depth of DEPTHS) {
        if (above === null) return [];
        if (above === root) return joined ? [{ customer, depth }] : [];
        above = members.get(above)?.referrer ?? null;
      }
      return [];
    });
  }
}

function hasCircle(members: ReadonlyMap<number, Membership>): boolean {
  return [...members.keys()].some((start) => {
    let at = members.get(start)?.referrer ?? null;
    for (let step = 0; at !== null && step <= members.size; step += 1) {
      if (at === start) return true;
      at = members.get(at)?.referrer ?? null;
    }
    return false;
  });
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

type Place = { current_level: number; name: string; id: string };

/** Names here are of ASCII letters, so that JavaScript's order is that of code points. */
function byDepthNameId(one: Place, other: Place): number {
  if (one.current_level !== other.current_level) return one.current_level - other.current_level;
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
