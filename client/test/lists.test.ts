import { describe, it, vi } from "vitest";
import { mustFeed } from "../../test/support/api.ts";
import * as seed from "../../test/support/seed.ts";
import { createClient } from "../src/client.ts";
import { clientOf } from "./support/client.ts";

/** A customer with three store coupons, two manufacturer coupons and a digital coupon. */
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

/** A client of a service with a list of three pages. The first requests for page 2 get the failures. */
function openPages(...failures: Response[]) {
  const sentQueries: string[] = [];
  const client = createClient({
    url: "https://loyalty.example",
    token: "t",
    fetch: async (input) => {
      const query = String(input).slice("https://loyalty.example/api/v1/customer/stores/s/team-with-level".length);
      sentQueries.push(query);
      const page = Number(new URLSearchParams(query).get("page") ?? 1);
      const failure = page === 2 ? failures.shift() : undefined;
      // A service behind a proxy does not know its own address, so its links have another.
      const headers = { Link: `<http://10.0.0.7/api/x?page=${page + 1}>; rel="next"` };
      return failure ?? Response.json({ status: true, items: [`entry ${page}`] }, page < 3 ? { headers } : {});
    },
  });
  return { client, sentQueries };
}

async function readAll<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

describe("a page of a list", () => {
  it("has next(), which asks for the next page at the address of the first, even behind a proxy", async ({
    expect,
  }) => {
    const { client, sentQueries } = openPages();

    const page = await client.teamWithLevel("s", { per_page: 1 });
    if (page.status) await page.next?.();

    expect(sentQueries).toEqual(["?per_page=1", "?page=2"]);
  });
});

describe("all() of a list", () => {
  it("gives each coupon with its kind, over all pages, and those of the coupon list with or without details", async ({
    expect,
  }) => {
    const { client, store, mfg, digital } = await seedCoupons();

    const all = await readAll(client.myCoupons.all({ per_page: 2 }));
    const simple = await readAll(client.coupons.all());
    const detailed = await readAll(client.coupons.all({ includemfg: true }));

    expect(all.map(({ kind }) => kind)).toEqual(["store", "store", "store", "mfg", "mfg", "digital"]);
    const ids = all.map((coupon) => (coupon.kind === "digital" ? coupon.coupon.id : coupon.id));
    expect(ids.toSorted()).toEqual([...store, ...mfg, digital.id].toSorted());
    expect(simple.map(({ id }) => id).toSorted()).toEqual(store.toSorted());
    expect(simple[0]).not.toHaveProperty("kind");
    expect(detailed.map(({ kind }) => kind)).toEqual(["store", "store", "store", "mfg", "mfg"]);
    expect(detailed.map(({ id }) => id).toSorted()).toEqual([...store, ...mfg].toSorted());
  });

  it("gives no entry of an empty list", async ({ expect }) => {
    expect(await readAll(clientOf("nobody").client.messages.all())).toEqual([]);
  });

  it("asks for pages of 100 entries, and for each page only when it is needed", async ({ expect }) => {
    const { client, sentQueries } = openPages();

    const members = client.teamWithLevel.all("s");
    expect(sentQueries).toEqual([]);
    expect((await members.next()).value).toBe("entry 1");
    expect(sentQueries).toEqual(["?per_page=100"]);
    expect(await readAll(members)).toEqual(["entry 2", "entry 3"]);
    expect(sentQueries).toHaveLength(3);
  });

  it("throws a LoyaltyError with the failure of a page, after the entries before it", async ({ expect }) => {
    const failure = { status: false, errorCode: "VALIDATION_EXCEPTION" };
    const members = openPages(Response.json(failure, { status: 422 })).client.teamWithLevel.all("s");

    expect((await members.next()).value).toBe("entry 1");
    await expect(members.next()).rejects.toMatchObject({
      name: "LoyaltyError",
      failure: { ...failure, httpStatus: 422 },
    });
  });

  it("waits as long as a 429 says, and asks for the same page again", async ({ expect }) => {
    vi.useFakeTimers();
    const refusal = Response.json({ status: false }, { status: 429, headers: { "Retry-After": "60" } });
    const { client, sentQueries } = openPages(refusal);

    const listing = readAll(client.teamWithLevel.all("s"));
    await vi.advanceTimersByTimeAsync(59_999);
    expect(sentQueries).toEqual(["?per_page=100", "?page=2"]);
    await vi.advanceTimersByTimeAsync(1_001);

    expect(await listing).toEqual(["entry 1", "entry 2", "entry 3"]);
    expect(sentQueries).toEqual(["?per_page=100", "?page=2", "?page=2", "?page=3"]);
  });

  it("throws if its signal is aborted", async ({ expect }) => {
    const stop = new AbortController();
    const members = openPages().client.teamWithLevel.all("s", {}, { signal: stop.signal });
    await members.next();

    stop.abort();

    await expect(members.next()).rejects.toThrow("aborted");
  });
});
