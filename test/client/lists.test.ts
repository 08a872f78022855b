import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import { clientOf, worker } from "../support/client.ts";
import * as seed from "../support/seed.ts";

/** A customer with three store coupons, two manufacturer coupons and a digital one. */
async function seedCoupons() {
  const account = seed.account();
  const [shop, customer] = [seed.store(account.id), seed.customer()];
  const coupons = ["store", "store", "store", "mfg", "mfg"].map((kind) => seed.coupon(account.id, { kind }));
  const digital = seed.coupon(account.id, { kind: "digital" });
  const issued = coupons.map(({ id }) => seed.customerCoupon(customer.id, id, shop.id));
  await mustFeed([account, shop, customer, seed.membership(shop.id, customer.id), ...coupons, digital, ...issued]);
  const ids = issued.map(({ id }) => id);
  return { ...clientOf(customer.id), store: ids.slice(0, 3), mfg: ids.slice(3), digital };
}

async function listed<One>(entries: AsyncGenerator<One, void, undefined>): Promise<One[]> {
  const all: One[] = [];
  for await (const one of entries) all.push(one);
  return all;
}

/** A leader with a team of this size at a store. */
async function seedTeam(size: number) {
  const account = seed.account();
  const store = seed.store(account.id);
  const leader = seed.customer();
  const team = Array.from({ length: size }, () => seed.customer());
  const joined = team.map(({ id }) => seed.membership(store.id, id, { referrer_id: leader.id }));
  await mustFeed([account, store, leader, ...team, seed.membership(store.id, leader.id), ...joined]);
  return { ...clientOf(leader.id), customerId: leader.id, store, team: team.map(({ id }) => id) };
}

describe("a page of a list", () => {
  it("has next(), which asks for the next page, until the last", async ({ expect }) => {
    const { client, store, team } = await seedTeam(5);
    const seen: string[] = [];

    let page = await client.teamWithLevel(store.id, { per_page: 2, level_no: 1 });
    const sizes: number[] = [];
    while (page.status) {
      seen.push(...page.items.map(({ id }) => id));
      sizes.push(page.items.length);
      if (page.next === null) break;
      page = await page.next();
    }

    expect(sizes).toEqual([2, 2, 1]);
    expect(seen.toSorted()).toEqual(team.toSorted());
  });

  it("asks for the next page at its own address, also behind a proxy that has another than the service", async ({
    expect,
  }) => {
    const { store, team, sent } = await seedTeam(2);
    const { client } = clientOf("c", async (input) => {
      sent.push(String(input));
      const headers = { Link: '<http://10.0.0.7/api/v1/customer/x?page=2&per_page=1>; rel="next"' };
      return Response.json({ status: true, items: team }, { headers });
    });

    const page = await client.teamWithLevel(store.id, { per_page: 1 });
    if (page.status) await page.next?.();

    const path = `https://loyalty.example/api/v1/customer/stores/${store.id}/team-with-level`;
    expect(sent).toEqual([`${path}?per_page=1`, `${path}?page=2&per_page=1`]);
  });

  it("has no next() where the call failed, and none after a page past the last", async ({ expect }) => {
    const { client } = await seedCoupons();

    expect(await client.myCoupons({ page: 9 })).not.toHaveProperty("next");
    expect(await client.myCoupons({ per_page: 6 })).toHaveProperty("next", null);
  });
});

describe("all() of a list", () => {
  it("gives every coupon of every kind once, over all pages, and says its kind", async ({ expect }) => {
    const { client, store, mfg, digital } = await seedCoupons();

    const all = await listed(client.myCoupons.all({ per_page: 2 }));

    expect(all.map(({ kind }) => kind)).toEqual(["store", "store", "store", "mfg", "mfg", "digital"]);
    const ids = all.map((one) => (one.kind === "digital" ? one.coupon.id : one.id));
    expect(ids.toSorted()).toEqual([...store, ...mfg, digital.id].toSorted());
  });

  it("gives the coupons of the coupon list, in the variant that was asked for", async ({ expect }) => {
    const { client, store, mfg } = await seedCoupons();

    const simple = await listed(client.coupons.all());
    const detailed = await listed(client.coupons.all({ includemfg: true }));

    expect(simple.map(({ id }) => id).toSorted()).toEqual(store.toSorted());
    expect(simple[0]).not.toHaveProperty("kind");
    expect(detailed.map(({ kind }) => kind)).toEqual(["store", "store", "store", "mfg", "mfg"]);
    expect(detailed.map(({ campaign_coupon }) => campaign_coupon.name)).toEqual(detailed.map(() => "Free coffee"));
    expect(detailed.map(({ id }) => id).toSorted()).toEqual([...store, ...mfg].toSorted());
  });

  it("asks for pages of 100, and for a page only when its entries are wanted", async ({ expect }) => {
    const { client, store, sent } = await seedTeam(120);

    const members = client.teamWithLevel.all(store.id);
    expect(sent).toEqual([]);
    for (let count = 0; count < 100; count += 1) await members.next();
    expect(sent.map((address) => address.split("?")[1])).toEqual(["per_page=100"]);
    await members.next();
    expect(sent).toHaveLength(2);
  });

  it("gives nothing where there is nothing", async ({ expect }) => {
    const { client } = clientOf("nobody");

    expect(await listed(client.messages.all())).toEqual([]);
  });

  it("throws a LoyaltyError with the failure of a page, after the entries before it", async ({ expect }) => {
    const { store } = await seedTeam(0);
    const { client } = clientOf("c", async (input, init) => {
      if (String(input).includes("page=2")) return worker(`${input}&level_no=9`, init);
      const headers = { Link: '<https://loyalty.example/x?page=2>; rel="next"' };
      return Response.json({ status: true, items: ["first"] }, { headers });
    });
    const members = client.teamWithLevel.all(store.id);

    expect((await members.next()).value).toBe("first");
    await expect(members.next()).rejects.toMatchObject({
      name: "LoyaltyError",
      failure: { errorCode: "VALIDATION_EXCEPTION", httpStatus: 422, messages: { level_no: [expect.any(String)] } },
    });
  });

  it("waits as long as a 429 says, and asks for the same page again", async ({ expect }) => {
    const { customerId, store, team } = await seedTeam(3);
    const refused: number[] = [];
    const { client, sent } = clientOf(customerId, async (input, init) => {
      if (sent.length !== 2) return worker(input, init);
      refused.push(Date.now());
      return Response.json({ status: false }, { status: 429, headers: { "Retry-After": "1" } });
    });

    const all = await listed(client.teamWithLevel.all(store.id, { per_page: 2 }));

    expect(all.map(({ id }) => id).toSorted()).toEqual(team.toSorted());
    expect(sent).toEqual([expect.stringMatching(/\?per_page=2$/), expect.stringContaining("page=2"), sent[1]]);
    expect(Date.now() - (refused[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it("throws when it is called off: what has come so far is not all", async ({ expect }) => {
    const { client, store } = await seedTeam(3);
    const stop = new AbortController();
    const members = client.teamWithLevel.all(store.id, { per_page: 1 }, { signal: stop.signal });
    await members.next();

    stop.abort();

    await expect(members.next()).rejects.toThrow("aborted");
  });
});

describe("the lists of a search", () => {
  it.for([
    [undefined, ["stores", "customers", "campaigns"]],
    ["stores", ["stores", "customers", "campaigns"]],
    [
      ["customers", "stores"],
      ["stores", "customers", "campaigns"],
    ],
  ] as const)("are there whatever the filter, so that nobody has to look: %j", async ([filter, lists], { expect }) => {
    const found = await clientOf("c").client.fullSearch({ query: "nobody", filter });

    expect(found.status && Object.keys(found.items)).toEqual(lists);
  });
});
