import { describe, it } from "vitest";
import { FullSearchAnswer } from "../../../src/customer/search/operations.ts";
import { PASSED_THROUGH } from "../../support/account-fields.ts";
import { as, mustFeed, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/full-search";

/** An account in a search result has all of them but those that only a coupon list has. */
const ACCOUNT_FIELDS = ["id", "parent_id", "company", ...PASSED_THROUGH.filter((field) => !field.startsWith("core_"))];

/** A word that no other test has. */
const freshWord = () => seed.freshId("word");

async function search(query: string, { caller = seed.freshId("c"), ...fields }: Record<string, unknown> = {}) {
  const answer = await as(String(caller)).post(PATH, { query, ...fields });
  return answer.body.items ?? answer.body;
}

async function found(query: string, caller = seed.freshId("c")) {
  const { stores, customers, campaigns } = await search(query, { caller });
  return [...stores, ...customers, ...campaigns].map(({ id }: { id: string }) => id);
}

describe("POST /full-search", () => {
  it("answers each field of a store, a customer and a campaign, in one round trip", async ({ expect }) => {
    const name = freshWord();
    const account = seed.account({ company: "Blue Cup", agreement_type: "gold", core_tenant_id: "t", state_id: 7 });
    const place = { address_line_1: "1 Main St", address_line_2: "Floor 2", city: "Ada", state: "OK", zip: "74820" };
    const store = seed.store(account.id, { name, ...place, store_image: "https://i.example/s", phone: "555" });
    const campaign = seed.campaign(account.id, { name, min_age: 18, campaign_end_date: "2030-01-01", status: 2 });
    const customer = seed.customer({
      first_name: name,
      customer_description: "Regular",
      avatar: "https://i.example/c",
    });
    await mustFeed([account, store, campaign, customer]);

    const answer = await as(seed.freshId("c")).post(PATH, { query: name });

    const fed = { id: account.id, company: "Blue Cup", agreement_type: "gold", state_id: 7 };
    // Its other fields are as they are left out: test/feed/passed-through tries all of them.
    const accountObject = expect.objectContaining({ ...fed, parent_id: null, slug: "" });
    expect(FullSearchAnswer.safeParse(answer.body).error).toBeUndefined();
    expect(answer.body).toEqual({
      status: true,
      items: {
        stores: [
          {
            id: store.id,
            account_id: account.id,
            name,
            store_image: "https://i.example/s",
            ...place,
            phone: "555",
            latitude: 35.47,
            longitude: -97.52,
            account: accountObject,
          },
        ],
        customers: [
          {
            id: customer.id,
            scan_id: "",
            first_name: name,
            last_name: "Lovelace",
            date_of_birth: null,
            address_line_1: "",
            address_line_2: "",
            city: "",
            state: "",
            zip: "",
            customer_description: "Regular",
            stores_count: 0,
            friend_status: -1,
            balance: 0,
            avatar: "https://i.example/c",
            campaigns_total: 0,
            campaigns_registered: 0,
          },
        ],
        campaigns: [
          {
            id: campaign.id,
            account_id: Number(account.id),
            name,
            campaign_start_date: "2020-01-01",
            campaign_end_date: "2030-01-01",
            campaign_description: "",
            age_range_type: "",
            age_value: "",
            min_age: 18,
            max_age: "",
            status: 2,
            campaign_type: null,
            trigger_type: "None",
            reward_type: "PercentDollarValue",
            campaign_require_register: 0,
            cash_tender_multiplier: "1.00",
            non_cash_tender_multiplier: "1.00",
            allow_cash_tender: 0,
            allow_non_cash_tender: 0,
            trigger_amount: "0.00",
            account: accountObject,
          },
        ],
      },
    });
    expect(Object.keys(answer.body.items.stores[0].account).sort()).toEqual(ACCOUNT_FIELDS.toSorted());
    expect(trips(answer)).toBe(1);
  });

  it("lets each word begin a word of any field, the company's among them", async ({ expect }) => {
    const [company, city, description] = [freshWord(), freshWord(), freshWord()];
    const account = seed.account({ company: `The ${company}house` });
    const store = seed.store(account.id, { city: `Port-${city}`, zip: "74820" });
    const campaign = seed.campaign(account.id, { campaign_description: `Twice: ${description}s` });
    await mustFeed([account, store, campaign]);

    expect(await found(`${city} 748 ${company}`)).toEqual([store.id]);
    expect(await found(`${company} ${description} dou`)).toEqual([campaign.id]);
    expect(await found(`${company} ${description} ${city}`)).toEqual([]);
    expect(await found(`house ${city}`)).toEqual([]);
  });

  it.for([2, 3, 4, 5, 6])("finds a name of %i words by a letter or two of each", async (count, { expect }) => {
    const letters = [..."აბგდევზთიკლმნოპჟრსტუ"].slice((count * (count - 1)) / 2 - 1).slice(0, count);
    const name = letters.map((letter, index) => `${letter}${index}`);
    const customer = seed.customer({ first_name: name.slice(1).join(" "), last_name: `${name[0]}s` });
    await mustFeed([customer, seed.customer({ first_name: name.slice(1).join(" "), last_name: "x" })]);

    expect(await found(letters.join(" "))).toEqual([customer.id]);
    expect(await found(name.map((word, index) => word.slice(0, 1 + (index % 2))).join(" "))).toEqual([customer.id]);
    expect(await found(name.map((word) => `${word}s`).join(" "))).toEqual([]);
  });

  it("finds stores and campaigns that hold all of many beginnings, and no others", async ({ expect }) => {
    const letters = [..."ԱԲԳԴԵԶԷԸ"];
    const [account, other] = [seed.account({ company: "Ըx" }), seed.account()];
    const description = letters.slice(0, -1).join("- ");
    const store = seed.store(account.id, { name: description });
    const campaign = seed.campaign(account.id, { campaign_description: `${description}-x` });
    await mustFeed([account, other, store, campaign, seed.store(other.id, { name: description })]);

    expect(await found(letters.join(" "))).toEqual([store.id, campaign.id]);
  });

  it("puts whole words first, each group in the order first stored, and answers twenty at most", async ({ expect }) => {
    const word = freshWord();
    const longer = Array.from({ length: 15 }, () => seed.customer({ last_name: `${word}s` }));
    const whole = Array.from({ length: 10 }, () => seed.customer({ first_name: word.toUpperCase() }));
    await mustFeed(longer);
    await mustFeed(whole);
    await mustFeed([seed.deleted("customer", { id: longer[0]?.id }), ...whole]);
    await mustFeed(longer.slice(0, 1));

    expect(await found(word)).toEqual([...whole, ...longer.slice(0, 10)].map(({ id }) => id));
  });

  it("fills the twenty with what may be found", async ({ expect }) => {
    const [word, caller] = [freshWord(), seed.customer()];
    const account = seed.account({ company: word });
    const deleted = seed.account({ company: word });
    const stores = Array.from({ length: 45 }, (_, index) => seed.store((index < 15 ? deleted : account).id));
    const customers = Array.from({ length: 45 }, () => seed.customer({ first_name: word }));
    const blocks = customers.slice(0, 25).map(({ id }) => seed.block(id, caller.id));
    await mustFeed([account, deleted, ...stores, caller, ...customers, ...blocks]);
    await mustFeed([
      seed.deleted("account", { id: deleted.id }),
      ...stores.slice(15, 25).map(({ id }) => seed.deleted("store", { id })),
    ]);

    const items = await search(word, { caller: caller.id });

    expect(items.stores.map(({ id }: { id: string }) => id)).toEqual(stores.slice(25).map(({ id }) => id));
    expect(items.customers.map(({ id }: { id: string }) => id)).toEqual(customers.slice(25).map(({ id }) => id));
  });

  it("folds both sides: marks and case make no difference, other letters do", async ({ expect }) => {
    const word = freshWord();
    const customer = seed.customer({ first_name: `JOSÉ${word}`, last_name: "Łoś" });
    await mustFeed([customer]);

    expect(await found(`jose${word} łos`)).toEqual([customer.id]);
    expect(await found(`José${word}`)).toEqual([customer.id]);
    expect(await found(`jose${word} los`)).toEqual([]);
  });

  it.for([
    ["ΚΩΣ", "Κώστας"],
    ["κως", "ΚΩΣΤΑΣ"],
    ["κωστας", "ΚΏΣΤΑΣ"],
    ["ΚΏΣΤΑΣ", "Κώστας"],
    ["κωστασ", "Κώστας"],
    ["istanbul", "İSTANBUL"],
    ["İSTAN", "Istanbul"],
  ] as const)("finds by %s who is called %s", async ([query, name], { expect }) => {
    const word = freshWord();
    const customer = seed.customer({ first_name: name, last_name: word });
    await mustFeed([customer]);

    expect(await found(`${query} ${word}`)).toEqual([customer.id]);
  });

  it.for(['"', "*", "-", ":", "(", ")", "^", "+", "{words}:", "' OR 1=1 --", "%_"])(
    "takes %j in a query for text between words",
    async (sign, { expect }) => {
      const word = freshWord();
      const store = seed.store("1", { name: `${word} or not 1 1 words` });
      await mustFeed([seed.account({ id: "1" }), store]);

      expect(await found(`${sign}${word}${sign}`)).toEqual([store.id]);
    },
  );

  it.for(["OR", "AND", "NOT", "NEAR"])("treats %s as a word like any other", async (operator, { expect }) => {
    const [word, other] = [freshWord(), freshWord()];
    const store = seed.store("1", { name: `${word} ${operator}` });
    const without = seed.store("1", { name: `${word} ${other}` });
    await mustFeed([seed.account({ id: "1" }), store, without]);

    expect(await found(`${word} ${operator} ${word}`)).toEqual([store.id]);
    expect(await found(`${word} ${operator} ${other}`)).toEqual([]);
  });

  it("finds nothing for a query without a word", async ({ expect }) => {
    expect(await search("--- ***")).toEqual({ stores: [], customers: [], campaigns: [] });
  });

  it("shows birth date, scan id and address to the customer and to friends only", async ({ expect }) => {
    const word = freshWord();
    const details = { scan_id: "S1", date_of_birth: "1990-02-03", address_line_1: "1 Elm", address_line_2: "B" };
    const secrets = { ...details, city: "Ada", state: "OK", zip: "74820" };
    const customer = seed.customer({ first_name: word, ...secrets });
    const [friend, pending, stranger] = [seed.customer(), seed.customer(), seed.customer()];
    const friendships = [seed.friendship(customer.id, friend.id, 1), seed.friendship(pending.id, customer.id, 0)];
    await mustFeed([customer, friend, pending, stranger, ...friendships]);
    const seenBy = async ({ id }: { id: string }) => (await search(word, { caller: id })).customers[0];
    const hidden = {
      scan_id: "",
      date_of_birth: null,
      address_line_1: "",
      address_line_2: "",
      city: "",
      state: "",
      zip: "",
    };

    expect(await seenBy(customer)).toMatchObject({ ...secrets, friend_status: -1 });
    expect(await seenBy(friend)).toMatchObject({ ...secrets, friend_status: 1 });
    expect(await seenBy(pending)).toMatchObject({ ...hidden, friend_status: 0 });
    expect(await seenBy(stranger)).toMatchObject({ ...hidden, friend_status: -1 });
  });

  it("does not find customers who have blocked the caller, but those whom the caller has blocked", async ({
    expect,
  }) => {
    const word = freshWord();
    const [caller, blocker, blocked] = [
      seed.customer(),
      seed.customer({ first_name: word }),
      seed.customer({ first_name: word }),
    ];
    await mustFeed([caller, blocker, blocked, seed.block(blocker.id, caller.id), seed.block(caller.id, blocked.id)]);

    expect(await found(word, caller.id)).toEqual([blocked.id]);
  });

  it("counts stores, campaigns that run today and registrations for them, and the balance over all stores", async ({
    expect,
  }) => {
    await setClock("2026-05-10 12:00:00");
    const word = freshWord();
    const [account, other, strange] = [seed.account(), seed.account(), seed.account()];
    const stores = [seed.store(account.id), seed.store(account.id), seed.store(other.id), seed.store(other.id)];
    const customer = seed.customer({ first_name: word });
    const running = seed.campaign(account.id, { campaign_end_date: "2026-05-10" });
    const campaigns = [
      running,
      seed.campaign(other.id, { campaign_start_date: "2026-05-10" }),
      seed.campaign(other.id, { status: 0 }),
      seed.campaign(other.id, { campaign_start_date: "2026-05-11" }),
      seed.campaign(strange.id),
    ];
    await mustFeed([account, other, strange, ...stores, ...campaigns, customer]);
    await mustFeed([
      ...stores.map(({ id }) => seed.membership(id, customer.id)),
      ...campaigns.filter((_, index) => index !== 1).map(({ id }) => seed.registration(id, customer.id)),
      seed.entry(customer.id, stores[0]?.id, "0.10"),
      seed.entry(customer.id, stores[2]?.id, "0.20"),
    ]);
    await mustFeed([seed.deleted("membership", { store_id: stores[1]?.id, customer_id: customer.id })]);
    const counts = async () => (await search(word, { caller: customer.id })).customers[0];

    expect(await counts()).toMatchObject({
      stores_count: 3,
      campaigns_total: 2,
      campaigns_registered: 1,
      balance: 0.3,
    });

    await mustFeed([seed.deleted("account", { id: account.id }), seed.deleted("store", { id: stores[2]?.id })]);
    expect(await counts()).toMatchObject({
      stores_count: 1,
      campaigns_total: 1,
      campaigns_registered: 0,
      balance: 0.3,
    });
  });

  it("answers variant A without a filter or with campaigns in it, else variant B", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    const [store, campaign] = [seed.store(account.id), seed.campaign(account.id)];
    const customer = seed.customer({ first_name: word });
    await mustFeed([account, store, campaign, customer]);
    const ask = async (filter: unknown) => {
      const { body } = await as("c").post(PATH, { query: word, filter });
      const { items, status, ...top } = body;
      const lists = Object.entries((items ?? top) as Record<string, { id: string }[]>);
      return [items ? "A" : "B", Object.fromEntries(lists.map(([name, list]) => [name, list.map(({ id }) => id)]))];
    };
    const all = { stores: [store.id], customers: [customer.id], campaigns: [campaign.id] };

    for (const none of [undefined, null, "", " , "]) expect(await ask(none)).toEqual(["A", all]);
    expect(await ask("campaigns")).toEqual(["A", { stores: [], customers: [], campaigns: [campaign.id] }]);
    expect(await ask("campaigns, stores")).toEqual(["A", { ...all, customers: [] }]);
    expect(await ask("stores")).toEqual(["B", { stores: [store.id], customers: [] }]);
    expect(await ask("customers,stores,")).toEqual(["B", { stores: [store.id], customers: [customer.id] }]);
  });

  it.for([
    [{}, ["query"]],
    [{ query: "ab" }, ["query"]],
    [{ query: "  ab  " }, ["query"]],
    [{ query: "" }, ["query"]],
    [{ query: null }, ["query"]],
    [{ query: 123 }, ["query"]],
    [{ query: "x".repeat(101) }, ["query"]],
    [{ query: "abc\u0000" }, ["query"]],
    [{ query: "ab", filter: "shops" }, ["filter", "query"]],
    [{ query: "abc", filter: "stores,shops" }, ["filter"]],
    [{ query: "abc", filter: ["stores"] }, ["filter"]],
    [{ query: "abc", filter: 1 }, ["filter"]],
  ] as const)("names every bad field of %j", async ([body, fields], { expect }) => {
    const answer = await as("c").post(PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });

  it("says what words a filter may have", async ({ expect }) => {
    const { body } = await as("c").post(PATH, { query: "abc", filter: "stores,shops" });

    expect(body.messages).toEqual({ filter: ["must be any of stores, customers, campaigns, comma-separated"] });
  });

  it("takes a query of three to a hundred characters, once trimmed", async ({ expect }) => {
    for (const query of ["abc", "🎉🎉🎉", ` ${"x".repeat(100)} `]) {
      expect((await as("c").post(PATH, { query })).status).toBe(200);
    }
  });
});
