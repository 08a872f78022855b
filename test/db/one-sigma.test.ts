import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

const FOLDED = [
  ["accounts", "words"],
  ["stores", "words"],
  ["campaigns", "words"],
  ["customers", "words"],
  ["accounts", "folded_names"],
  ["coupons", "folded_type"],
  ["coupons", "folded_text"],
] as const;

/** Folded texts as they were stored while a sigma at the end of a word was a letter of its own. */
async function makeFinalSigmas() {
  await env.DB.batch(
    FOLDED.map(([table, column]) =>
      env.DB.prepare(
        `UPDATE ${table} SET ${column} = rtrim(replace(replace(${column} || ' ', 'σ ', 'ς '), 'σA', 'ςA'))`,
      ),
    ),
  );
}

describe("migration 0021_one_sigma", () => {
  it("lets what was stored before be found by Greek words that end on a sigma", async ({ expect }) => {
    const account = seed.account({ company: "Κρίνος" });
    const store = seed.store(account.id, { name: "Πύργος" });
    const campaign = seed.campaign(account.id, { name: "Μήνας" });
    const customer = seed.customer({ first_name: "Κώστας", last_name: "Παππάς" });
    const offer = seed.coupon(account.id, { name: "Καφές", type: "Δώρος" });
    const issued = seed.customerCoupon(customer.id, offer.id, store.id);
    await mustFeed([account, store, campaign, customer, seed.membership(store.id, customer.id), offer, issued]);
    const find = async () => {
      const search = async (query: string) =>
        (await as("nobody").post("/api/v1/customer/full-search", { query })).body.items;
      const list = async (query: string) =>
        (await as(customer.id).get(`/api/v1/customer/coupons?${query}`)).body.items?.length ?? 0;
      return [
        (await search("κρινος")).stores.length,
        (await search("πυργος")).stores.length,
        (await search("μηνας")).campaigns.length,
        (await search("παππας")).customers.length,
        await list("search=κρινος"),
        await list("search=καφες"),
        await list("type=ΔΩΡΟΣ"),
      ];
    };
    await makeFinalSigmas();
    expect(await find()).toEqual(FOLDED.map(() => 0));
    const queries = env.TEST_MIGRATIONS.find(({ name }) => name === "0021_one_sigma.sql")?.queries ?? [];

    await env.DB.batch(queries.map((query) => env.DB.prepare(query)));

    expect(await find()).toEqual(FOLDED.map(() => 1));
  });
});
