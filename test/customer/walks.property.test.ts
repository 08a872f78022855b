import { beforeEach, describe, expect, it, vi } from "vitest";
import { deletionOf, type Line, type LineWithId, many } from "../../scripts/conform/lines.ts";
import { linkOf } from "../../scripts/lib/call.ts";
import { Random } from "../../scripts/program/random.ts";
import type { Row } from "../model/kinds.ts";
import { Model } from "../model/model.ts";
import { addSeconds } from "../model/time.ts";
import { as } from "../support/api.ts";
import { commitsOf, LaggingDatabase } from "../support/lagging-database.ts";
import { propertyRuns } from "../support/property-runs.ts";
import * as seed from "../support/seed.ts";

// docs/contract/interface.md, 1: what a client sees that follows `Link`, while the list changes, the clock passes, and pages
// come from a replica that lags. The model tells what the list is at each moment.

const BEGINNING = "2026-06-01 12:00:00";
const MOST_PAGES = 80;
const { numRuns, seed: programSeed } = propertyRuns(2);

interface Item {
  id: string;
  /** The fields that the order of the list depends on, as JSON. */
  place: string;
}

/** A list with its program, which is new for each walk. */
interface List {
  /** The lines to begin with, those of each feed request in an array. */
  lines: Line[][];
  /** The address of the first page, and an address at which the model gives the whole list. */
  first: string;
  whole: string;
  itemsOf(items: Row): Item[];
  /** Lines that change the list. */
  change(random: Random, now: string): Line[];
}

const itemOf = (row: Row, idField: string, ...fields: string[]): Item => ({
  id: String(row[idField]),
  place: JSON.stringify(fields.map((field) => row[field])),
});

const NAMES = ["Al Boe", "Al Coe", "Bo Coe", "Cy Doe", "Cy Eoe"];
const historicTime = (random: Random) => `2026-01-0${random.integer(1, 4)} 00:00:0${random.integer(0, 9)}`;

function messages(random: Random): List {
  const people = many(4, () => seed.customer());
  const [ann, ben] = people;
  const groups = many(12, () => seed.group([ann, random.pick(people.slice(1))]));
  const messageTo = (group: LineWithId, fields = {}) => seed.message(group.id, group.initial_customer_id, fields);
  const old = (group: LineWithId) => messageTo(group, { sent_at: historicTime(random) });
  return {
    lines: [people, groups, groups.map(old)],
    first: "messages?per_page=3",
    whole: "messages?per_page=100",
    itemsOf: (items) => items.map((item: Row) => itemOf(item, "group_id", "last_message_time")),
    change: () => {
      const group = random.pick(groups);
      return random.pick([
        [group, messageTo(group)],
        [group, messageTo(group)],
        [group, old(group)],
        [deletionOf(group)],
        [{ ...group, member_ids: [ann?.id, ben?.id] }],
      ]);
    },
  };
}

function team(random: Random): List {
  const newCustomer = () => {
    const [first_name, last_name] = random.pick(NAMES).split(" ");
    return seed.customer({ first_name, last_name });
  };
  const account = seed.account();
  const shop = seed.store(account);
  const people = many(15, newCustomer);
  const joined = people.map((person, index) =>
    seed.membership(shop, person, {
      referrer_id: people[index === 0 ? -1 : random.integer(0, Math.min(index - 1, 3))],
    }),
  );
  return {
    lines: [[account, shop, ...people, ...joined]],
    first: `stores/${shop.id}/team-with-level?per_page=3`,
    whole: `stores/${shop.id}/team-with-level?per_page=100`,
    itemsOf: (items) => items.map((item: Row) => itemOf(item, "id", "current_level", "name")),
    change: () => {
      const membership = random.pick(joined.slice(4));
      const customer = newCustomer();
      return random.pick([
        [membership],
        [deletionOf(membership)],
        [{ ...customer, id: String(membership.customer_id) }],
        [customer, seed.membership(shop, customer, { referrer_id: people[random.integer(0, 3)] })],
      ]);
    },
  };
}

const endOf = (item: Row) => [item.expected_end_date, item.can_expire === 1 && item.expiration_date];
const issuedItem = (item: Row): Item => ({ id: item.id, place: JSON.stringify([...endOf(item), item.created_at]) });

/** A customer who holds coupons that are used, end, or are issued meanwhile. */
function holder(random: Random, texts = {}) {
  const [account, ann] = [seed.account(), seed.customer()];
  const shop = seed.store(account);
  const endSoon = (now: string) => random.pick([null, addSeconds(now, random.integer(0, 30))]);
  const newCoupon = (kind: string, now: string) =>
    seed.coupon(account, { kind, ...texts, can_expire: random.integer(0, 1), expiration_date: endSoon(now) });
  const coupons = ["store", "store", "mfg", "mfg"].map((kind) => seed.coupon(account, { kind, ...texts }));
  const digital = many(5, () => newCoupon("digital", BEGINNING));
  const issue = (now: string) =>
    seed.customerCoupon(ann, random.pick(coupons), shop, {
      expected_end_date: endSoon(now),
      created_at: historicTime(random),
    });
  const issued = (count: number) => many(count, () => issue(BEGINNING));
  const change = (line: LineWithId, now: string) =>
    random.pick<Line[]>([
      [{ ...line, usage_count: 1 }],
      [{ ...line, expected_end_date: endSoon(now) }],
      [deletionOf(line)],
      [issue(now)],
      [newCoupon("digital", now)],
      [deletionOf(random.pick(digital))],
    ]);
  return { ann, base: [ann, account, shop, seed.membership(shop, ann), ...coupons, ...digital], issued, change };
}

function myCoupons(random: Random): List {
  const { base, issued, change } = holder(random);
  const held = issued(16);
  return {
    lines: [base, held],
    first: "my-coupons?per_page=3",
    whole: "my-coupons?per_page=100",
    itemsOf: ({ store, mfg, digital }) =>
      [...store, ...mfg, ...digital.map(({ coupon }: Row) => coupon)].map(issuedItem),
    change: (_, now) => change(random.pick(held), now),
  };
}

/** The bytes of these coupons end an answer after about twenty, because a control character takes six bytes as JSON. */
function coupons(random: Random): List {
  const lines = Array(20).fill("\u0001".repeat(200));
  const { base, issued, change } = holder(random, { header_lines: lines, text_lines: lines });
  const held = issued(60);
  return {
    lines: [base, held],
    first: "coupons?includemfg=true",
    whole: "coupons?includemfg=true",
    itemsOf: ({ stores, mfg }) => [...stores, ...mfg].map(issuedItem),
    change: (_, now) => change(random.pick(held), now),
  };
}

/** An answer has 1,000 balances. */
function balances(random: Random): List {
  const ann = seed.customer();
  const nameOf = () => `Company ${random.integer(1, 900)}`;
  const accounts = many(1_010, () => seed.account({ company: nameOf() }));
  const stores = accounts.map((account) => seed.store(account));
  const joined = stores.map((store) => seed.membership(store, ann));
  return {
    lines: [[ann], accounts, stores, joined],
    first: "me",
    whole: "me",
    itemsOf: (items) => items.balances.map((item: Row) => itemOf(item, "account_id", "company")),
    change: () => [
      deletionOf(random.pick(joined)),
      random.pick(joined),
      { ...random.pick(accounts), company: nameOf() },
    ],
  };
}

function entries(random: Random): List {
  const ann = seed.customer();
  const accounts = many(3, () => seed.account());
  const stores = accounts.map((account) => seed.store(account));
  const book = (fields = {}) => seed.entry(ann, random.pick(stores), "1.00", fields);
  const old = () => book({ created_at: historicTime(random) });
  return {
    lines: [[ann, ...accounts, ...stores, ...many(16, old)]],
    first: "me/entries?limit=3",
    whole: "me/entries?limit=100",
    itemsOf: (items) => items.map((item: Row) => itemOf(item, "id", "created_at")),
    change: (_, now) => [
      book({ created_at: now }),
      old(),
      random.pick([accounts[0], deletionOf(accounts[0] as Line)]) as Line,
    ],
  };
}

const LISTS = { messages, team, coupons, "my-coupons": myCoupons, balances, entries };

/** Follows `Link` through a list that changes. */
class Walk {
  readonly #database: LaggingDatabase;
  readonly #model = new Model();
  readonly #random: Random;
  readonly #list: List;
  readonly #caller: string;
  #now = BEGINNING;
  /** The list after each commit: the place of each item, by its id. */
  readonly #states: Map<string, string>[] = [];

  constructor(random: Random, list: List) {
    this.#random = random;
    this.#database = new LaggingDatabase(random);
    this.#list = list;
    this.#caller = String(list.lines.flat().find(({ record }) => record === "customer")?.id);
  }

  async begin(): Promise<void> {
    await this.#database.begin(this.#now);
    for (const lines of this.#list.lines) await this.#commit(lines);
    await this.#commit([]);
    await this.#database.replicate(this.#database.lag);
    for (let moves = 0; moves < 3; moves += 1) await this.#move();
  }

  /** Expects that the walk shows each item once that is in the list all the time and keeps its place. */
  async follow(): Promise<void> {
    const seen: string[] = [];
    let pages = 0;
    let commitsOfFirstPage = 0;
    for (let next: string | undefined = this.#pathOf(this.#list.first); next !== undefined; await this.#move()) {
      const answer = await as(this.#caller).get(next);
      expect(answer.status, answer.text).toBe(200);
      if (answer.body.status === true) seen.push(...this.#list.itemsOf(answer.body.items).map(({ id }) => id));
      if (pages === 0) commitsOfFirstPage = commitsOf(answer.headers.get("X-D1-Bookmark") ?? "");
      next = linkOf(answer);
      pages += 1;
      expect(pages).toBeLessThan(MOST_PAGES);
    }

    const stable = this.#stableIds(commitsOfFirstPage);
    expect(pages).toBeGreaterThan(1);
    expect(stable.length).toBeGreaterThan(1);
    expect(seen.filter((id) => stable.includes(id))).toEqual(stable);
  }

  /** Lets time pass, feeds changes, and lets the replica make some of the commits that it lacks. */
  async #move(): Promise<void> {
    const random = this.#random;
    for (let changes = random.integer(0, 2); changes > 0; changes -= 1) {
      this.#now = addSeconds(this.#now, random.pick([0, 1, 1, 5]));
      await this.#commit(this.#list.change(random, this.#now));
    }
    await this.#database.replicate(random.integer(0, this.#database.lag));
  }

  async #commit(lines: Line[]): Promise<void> {
    const { status } = this.#model.feed(lines, { now: this.#now });
    // A change of a record that was removed meanwhile may be refused.
    await this.#database.commit(this.#now, status === 200 ? lines : []);
    this.#note();
  }

  /** Notes the list, as the model has it now. */
  #note(): void {
    const { body } = this.#model.ask(this.#caller, { method: "GET", path: this.#pathOf(this.#list.whole) }, this.#now);
    const items = body?.status === true ? this.#list.itemsOf(body.items) : [];
    this.#states.push(new Map(items.map(({ id, place }) => [id, place])));
  }

  #pathOf(path: string): string {
    return `/api/v1/customer/${path}`;
  }

  /** The items, in their order, that have been in the list at one place since this number of commits. */
  #stableIds(commits: number): string[] {
    const states = this.#states.slice(commits - 1);
    return [...(states.at(-1) ?? [])].flatMap(([id, place]) =>
      states.every((state) => state.get(id) === place) ? [id] : [],
    );
  }
}

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});

describe("a walk along Link", () => {
  it.for(Object.entries(LISTS))(
    "shows each item once that is in the list all the time and keeps its place: %s",
    async ([name, listOf]) => {
      for (let run = 0; run < (name === "balances" ? 1 : 4) * numRuns; run += 1) {
        const random = new Random(`seed ${programSeed}, ${name}, run ${run}`);
        const walk = new Walk(random, listOf(random));
        await walk.begin();
        await walk.follow();
      }
    },
  );
});
