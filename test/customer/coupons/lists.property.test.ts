import * as fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { propertyRunsInNode } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { modelCoupons, modelMyCoupons, type Program } from "./model.ts";
import { coupons, myCoupons } from "./support.ts";

const NOW = "2026-05-10 12:00:00";
// Ten programs share a feed request, because a request costs more than its lines.
const PROGRAMS = 10;

// constantFrom draws evenly, where numbers and options would come out small or absent too often for a full program.
const oneOf = fc.constantFrom;
const rarely = oneOf(true, ...Array<false>(11).fill(false));
const mostly = rarely.map((is) => !is);
const sometimes = <Value>(value: fc.Arbitrary<Value>) =>
  oneOf(false, false, false, true).chain((is) => (is ? value : fc.constant(undefined)));

const never = Array<null>(12).fill(null);
const SECONDS = ["2026-05-10 11:59:59", NOW, "2026-05-10 12:00:01"] as const;
const end = oneOf(...never, ...SECONDS, "2026-05-09", "2026-05-10", "2026-05-11", "9999-12-31 23:59:59");
const time = oneOf("2026-01-01 00:00:00", "2026-01-01 00:00:01", "2026-02-01 00:00:00");
const text = oneOf("Café au lait", "50% off", "a_b", "cafe", "Off", 'it\'s \\ "free"', "");
const lines = fc.array(text, { maxLength: 2 });
// By UTF-16 unit the doughnut would stand before the wide tilde; by code point it comes after.
const tail = oneOf("a", "b", "B", "é", "～", "🍩", "aa");
const search = sometimes(oneOf("CAFE", "é", "%", "_", "off", "b5", "t 5", "\\", "'", "free", "zebra", "BLUE", "X"));
const flag = sometimes(fc.boolean());
const index = oneOf(...Array(12).keys());

const shape = fc.record({
  accounts: fc.array(
    fc.record({ company: oneOf("Blue Cup", "Café", "X"), shown: oneOf("Blue!", "50%", null), gone: rarely }),
    { minLength: 1, maxLength: 3 },
  ),
  stores: fc.array(fc.record({ account: index, joined: mostly, gone: rarely }), { minLength: 2, maxLength: 5 }),
  coupons: fc.array(
    fc.record({
      account: index,
      tail,
      gone: rarely,
      fields: fc.record({
        kind: oneOf("store", "mfg", "digital"),
        name: text,
        type: oneOf("Dollar_Off", "DOLLAR_off", "Free_Item"),
        header_lines: lines,
        text_lines: lines,
        can_expire: oneOf(0, 1),
        expiration_date: end,
        created_at: time,
      }),
    }),
    { minLength: 4, maxLength: 12 },
  ),
  issued: fc.array(
    fc.record({
      coupon: index,
      store: index,
      tail,
      mine: mostly,
      gone: rarely,
      fields: fc.record({ expected_end_date: end, created_at: time }),
      deleted: rarely,
      counts: oneOf([1, 0], [1, 0], [1, 0], [2, 1], [2, 0], [1, 1], [0, 0]),
    }),
    { minLength: 6, maxLength: 16 },
  ),
});

/** A program of such a shape: every reference is made to point at something of the same account. */
function build(drawn: typeof shape extends fc.Arbitrary<infer Shape> ? Shape : never): Program {
  const accounts = drawn.accounts.map(({ company, shown, gone }) => ({
    id: seed.freshAccountId(),
    company,
    loyalty_options: shown === null ? null : { chain_display_name: shown },
    gone,
  }));
  const accountId = (index: number) => accounts[index % accounts.length]?.id ?? "";
  const stores = drawn.stores.map(({ account, joined, gone }) => {
    return { id: seed.freshId("s"), account_id: accountId(account), joined, gone };
  });
  const couponsOf = drawn.coupons.map(({ account, tail, gone, fields }, index) => {
    return { id: `${tail}-${accounts[0]?.id}-${index}`, account_id: accountId(account), ...fields, gone };
  });
  const issuable = couponsOf.filter(
    ({ kind, account_id }) => kind !== "digital" && stores.some((store) => store.account_id === account_id),
  );
  const issued = drawn.issued.flatMap((one, index) => {
    const coupon = issuable[one.coupon % issuable.length];
    if (coupon === undefined) return [];
    const choices = stores.filter(({ account_id }) => account_id === coupon.account_id);
    return {
      id: `${one.tail}-${accounts[0]?.id}-${index}`,
      mine: one.mine,
      campaign_coupon_id: coupon.id,
      store_id: choices[one.store % choices.length]?.id ?? "",
      total_count: one.counts[0] ?? 0,
      usage_count: one.counts[1] ?? 0,
      ...one.fields,
      deleted_at: one.deleted ? one.fields.created_at : null,
      gone: one.gone,
    };
  });
  return { now: NOW, accounts, stores, coupons: couponsOf, issued };
}

/**
 * What to feed for a program, everything first and then what deletes some of it, and who holds what is `mine` in it.
 */
function fedProgram(program: Program) {
  const { accounts, stores, coupons, issued } = program;
  const [caller, other] = [seed.customer(), seed.customer()];
  const lines = [
    caller,
    other,
    ...accounts.map(({ gone: _, ...fields }) => seed.account(fields)),
    ...stores.map(({ id, account_id }) => seed.store(account_id, { id })),
    ...stores.map(({ id }) => seed.membership(id, caller.id)),
    ...coupons.map(({ gone: _, account_id, ...fields }) => seed.coupon(account_id, fields)),
    ...issued.map(({ gone: _, mine, campaign_coupon_id, store_id, ...fields }) =>
      seed.customerCoupon(mine ? caller.id : other.id, campaign_coupon_id, store_id, fields),
    ),
  ];
  const deletions = [
    ...Object.entries({ account: accounts, store: stores, coupon: coupons, customer_coupon: issued }).flatMap(
      ([record, all]) => all.filter(({ gone }) => gone).map(({ id }) => seed.deleted(record, { id })),
    ),
    ...stores
      .filter(({ joined }) => !joined)
      .map(({ id }) => seed.deleted("membership", { store_id: id, customer_id: caller.id })),
  ];
  return { program, caller: caller.id, lines, deletions };
}

/** The parameters of a URL: those that are there. */
function given(query: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

const couponsQuery = fc.record({
  includemfg: flag,
  search,
  type: sometimes(oneOf("dollar_off", "FREE_ITEM")),
  account: sometimes(oneOf(0, 1, 2)),
});
const myQuery = fc.record({
  digitalonly: flag,
  includemfg: flag,
  search,
  type: sometimes(oneOf("store", "mfg")),
  stores: sometimes(fc.array(oneOf(0, 1, 2, 3, 4), { maxLength: 3 })),
  page: oneOf<number[]>(1, 1, 2, 3),
  per_page: oneOf<number[]>(1, 2, 3, 4, 5, 6),
});
const cases = fc.array(fc.tuple(shape, couponsQuery, myQuery), { minLength: PROGRAMS, maxLength: PROGRAMS });

describe("both coupon lists", () => {
  beforeAll(() => setClock(NOW));

  it("answer what the model answers, and pages are parts of the whole list", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const programs = drawn.map(([shape, ...queries]) => ({ ...fedProgram(build(shape)), queries }));
        await mustFeed(programs.flatMap(({ lines }) => lines));
        await mustFeed(programs.flatMap(({ deletions }) => deletions));

        for (const { program, caller, queries } of programs) {
          const [{ account, ...some }, { stores, ...mine }] = queries;
          const accountId = account === undefined ? undefined : (program.accounts[account]?.id ?? "9");
          const storeId = stores?.map((index) => program.stores[index]?.id ?? "unknown");
          const find = (query: typeof mine) => myCoupons(caller, given({ ...query, storeId }));

          expect(await coupons(caller, given({ ...some, accountId }))).toEqual(
            modelCoupons(program, { ...some, accountId }),
          );
          expect(await coupons(caller, { includemfg: true })).toEqual(modelCoupons(program, { includemfg: true }));
          expect(await find(mine)).toEqual(modelMyCoupons(program, { ...mine, storeId }));

          const whole = await find({ ...mine, page: 1, per_page: 100 });
          const pages: unknown[] = [];
          for (let page = 1; pages.at(-1) !== "NO_ITEMS"; page += 1) pages.push(await find({ ...mine, page }));
          expect(whole).toEqual(modelMyCoupons(program, { ...mine, storeId, page: 1, per_page: 100 }));
          expect(flat(...pages)).toEqual(flat(whole));
        }
      }),
      propertyRunsInNode(6),
    );
  });
});

/** The records of pages in the order in which they came, each with its list. */
function flat(...pages: unknown[]): string[] {
  return pages.flatMap((page) =>
    page === "NO_ITEMS"
      ? []
      : Object.entries(page as Record<string, string[]>).flatMap(([list, ids]) => ids.map((id) => `${list} ${id}`)),
  );
}
