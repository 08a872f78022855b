import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, describe, it } from "vitest";
import { type Answer, as, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { WHOM, type Whom, World, words } from "./model.ts";

const PATH = "/api/v1/customer/full-search";
const TODAY = "2026-05-10";

const VOCABULARY = [
  ..."ann Anna ANAÏS José jose Jose\u0301 Zürich zur ma mar Mary MARÍA Straße strasse Łódź lodz øre ΟΔΟΣ οδος Κώστας ΚΩΣ 日本語 日本".split(
    " ",
  ),
  ..."Café CAFE cafe\u0301s 12 123 80202 ½ x² Ⅷ ﬁsh Ǆ İstanbul ıstanbul хлеб Хлебный हिन्दी 김치 O'Brien OR NEAR AND NOT".split(
    " ",
  ),
  ...'a-b +165 +1 * "quoted" 🎉party ſo K µ so k μ Ꭰ ꭰ Ა ა NULL words:x {y}'.split(" "),
];
const SEPARATORS = [" ", "  ", "-", ", ", "'", "_", "\u00a0", "/", "*", '"', ":", " + "];

const word = fc.constantFrom(...VOCABULARY);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(...SEPARATORS)), { maxLength: 3 })
  .map((parts) => parts.flat().join(""));
const beginning = fc.tuple(word, fc.nat({ max: 5 })).map(([whole, length]) => [...whole].slice(0, length + 1).join(""));
const query = fc
  .array(fc.tuple(fc.oneof(word, beginning), fc.constantFrom(...SEPARATORS)), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().join(""))
  .filter((one) => [...one.trim()].length >= 3);

/** The texts by which the records of a line are found, besides their account's company. */
const SEARCHED = [
  "name",
  "address_line_1",
  "city",
  "zip",
  "campaign_description",
  "first_name",
  "last_name",
  "company",
];

/** Short beginnings of many words of one record and of its account, at times with one of another record. */
function manyShort(g: Gen, lines: readonly Line[]): string {
  const kind = g(() => fc.constantFrom("store", "campaign", "customer"));
  const record: Line = g(() => fc.constantFrom<Line[]>(...lines.filter((line) => line.record === kind), {}));
  const account = lines.find((line) => line.record === "account" && line.id === record.account_id);
  const held = [record, account ?? {}].flatMap((line) => SEARCHED.map((field) => String(line[field] ?? "")));
  const beginnings = words(held.join(" ")).map((one) => {
    const length = g(() => fc.integer({ min: 1, max: 3 }));
    return [...one].slice(0, length).join("");
  });
  const asked = g(() => fc.shuffledSubarray(beginnings, { minLength: Math.min(4, beginnings.length) }));
  const others = g(() => fc.array(beginning, { maxLength: 1 }));
  return ["---", ...asked, ...others].join(" ").slice(0, 100);
}

type Line = Record<string, unknown>;
type Gen = <T>(arbitrary: () => fc.Arbitrary<T>) => T;

/** Lines for a small program; `g` picks what they hold. */
function program(g: Gen): Line[] {
  const many = (min: number, max: number) => Array.from({ length: g(() => fc.integer({ min, max })) });
  const one = <T>(items: readonly T[]): T => g(() => fc.constantFrom(...items));
  const some = (chance: number) => g(() => fc.integer({ min: 1, max: 100 })) <= chance;
  const texts = () => g(() => text);
  const accounts = many(1, 4).map(() => seed.account({ company: texts(), core_tenant_id: "secret", type: 7 }));
  const stores = many(1, 12).map(() =>
    seed.store(one(accounts).id, { name: texts(), address_line_1: texts(), city: texts(), zip: texts() }),
  );
  // More stores than hold their company's words themselves.
  const chain = some(50)
    ? Array.from({ length: 108 }, (_, index) =>
        seed.store(accounts[0]?.id, index < 90 ? {} : { name: texts(), city: texts() }),
      )
    : [];
  const campaigns = many(0, 8).map(() =>
    seed.campaign(one(accounts).id, {
      name: texts(),
      campaign_description: texts(),
      campaign_start_date: one(["2026-05-10", "2026-05-11"]),
      campaign_end_date: one([null, "2026-05-10", "2026-05-09"]),
      status: one([0, 1, 1]),
    }),
  );
  const customers = many(2, 45).map(() =>
    seed.customer({
      first_name: texts(),
      last_name: g(() => word),
      date_of_birth: "2000-01-01",
      scan_id: "s",
      zip: "z",
    }),
  );
  const pairs = many(0, 20).map(() => [one(customers).id, one(customers).id] as const);
  const friends = pairs.filter(([left, right]) => left !== right);
  return [
    ...accounts,
    ...stores,
    ...chain,
    ...campaigns,
    ...customers,
    ...many(10, 40).map(() => seed.membership(one(stores).id, one(customers).id) as Line),
    ...many(0, campaigns.length > 0 ? 10 : 0).map(
      () => seed.registration(one(campaigns).id, one(customers).id) as Line,
    ),
    ...friends.map(([left, right]) => seed.friendship(left, right, one([0, 1])) as Line),
    ...many(0, 4).map(() => seed.entry(one(customers).id, one(stores).id, one(["0.10", "-3.00", "12.34"]))),
    ...(some(50) ? friends.slice(0, 2).map(([left, right]) => seed.block(left, right) as Line) : []),
  ];
}

/** Changes to some of the lines: other texts, deleted, and some of those written again. */
function changes(g: Gen, lines: readonly Line[]): Line[][] {
  const kinds: Record<string, string[]> = {
    account: ["company"],
    store: ["name", "city"],
    campaign: ["name", "campaign_description"],
    customer: ["first_name"],
  };
  const changeable = lines.filter(({ record }) => String(record) in kinds);
  const upTo = (count: number, of: readonly Line[]) => g(() => fc.shuffledSubarray([...of])).slice(0, count);
  const picked = upTo(8, changeable);
  const changed = picked.map((line) => ({
    ...line,
    ...Object.fromEntries((kinds[String(line.record)] ?? []).map((field) => [field, g(() => text)])),
  }));
  const deleted = Object.keys(kinds).flatMap((kind) =>
    upTo(
      3,
      changeable.filter(({ record }) => record === kind),
    ),
  );
  const back = deleted.filter(() => g(() => fc.boolean()));
  return [changed, deleted.map(({ record, id }) => ({ record, id, deleted: true })), back];
}

function expectFound(answer: Answer, world: World, asked: string, caller: string, whom: Whom): void {
  const ids = (records: { id: unknown }[]) => records.map(({ id }) => id);
  const { stores, customers, campaigns } = answer.body.items;
  const model = world.find({ query: asked, whom }, caller, TODAY);
  const expected = {
    ...model,
    stores: ids(model.stores as { id: unknown }[]),
    campaigns: ids(model.campaigns as { id: unknown }[]),
  };
  const found = { stores: ids(stores), campaigns: ids(campaigns), customers, forgiven: answer.body.forgiven ?? [] };
  if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(expected))) {
    throw new Error(`${JSON.stringify(asked)} found ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  }
  for (const { account } of [...stores, ...campaigns]) {
    if (account.company !== world.accounts.get(account.id)?.company || "core_tenant_id" in account) {
      throw new Error(`the account of a result is ${JSON.stringify(account)}`);
    }
  }
}

/** The same with the fields of objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

afterAll(() => Object.assign(env, { CUSTOMER_SEARCH: "all" }));

describe("full search against brute force", () => {
  it("finds the same records, in the same order, with the same fields, through every change", async () => {
    await setClock(`${TODAY} 12:00:00`);
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const world = new World();
        const lines = program(g as unknown as Gen);
        const customers = lines.filter(({ record }) => record === "customer");
        const steps = [lines, ...changes(g as unknown as Gen, lines)].filter((step) => step.length > 0);
        try {
          for (const step of steps) {
            await mustFeed(step);
            world.apply(step);
            for (let count = 0; count < 4; count += 1) {
              const asked = g(() => fc.boolean()) ? g(() => query) : manyShort(g as unknown as Gen, lines);
              const caller = String(g(() => fc.constantFrom(...customers)).id);
              const whom = g(() => fc.constantFrom(...WHOM));
              Object.assign(env, { CUSTOMER_SEARCH: whom });
              expectFound(await as(caller).post(PATH, { query: asked }), world, asked, caller, whom);
            }
          }
        } finally {
          // The next program must not find this one.
          const gone = lines.filter(({ record }) => record === "account" || record === "customer");
          await mustFeed(gone.map(({ record, id }) => ({ record, id, deleted: true })));
        }
      }),
      { ...propertyRuns(8), endOnFailure: true },
    );
  });
});
