import { env } from "cloudflare:workers";
import { beforeAll, describe, it, vi } from "vitest";
import { KINDS } from "../../../src/feed/records/index.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../../src/http/limits.ts";
import { type Answer, feed, mustFeed, send } from "../../support/api.ts";
import { EXPORT, exported, exportPages } from "../../support/exporting.ts";
import { program } from "../../support/programs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { exportToken } from "../../support/tokens.ts";

const stored = program("export");
const lines = (pages: readonly Answer[]): Record<string, unknown>[] => pages.flatMap(({ body }) => body);

beforeAll(() => mustFeed(stored.lines));

describe("GET /api/v1/feed", () => {
  it("gives the kinds after those that they refer to, and the clock at the end", async ({ expect }) => {
    const pages = await exportPages();

    const kinds = [...new Set(lines(pages).map(({ record }) => record))];
    expect(kinds).toEqual([...KINDS.map(({ record }) => record), "program"]);
    expect(pages.every(({ headers }) => headers.get("Content-Type") === "application/x-ndjson")).toBe(true);
  });

  it("gives what the feed takes: sent again, it changes nothing", async ({ expect }) => {
    const given = lines(await exportPages()).filter(({ record }) => record !== "program");

    const { body } = await feed(given);

    const events = KINDS.filter(({ type }) => type === "event").map(({ record }) => record);
    const repeated = given.filter(({ record }) => events.includes(String(record))).length;
    expect(body.items).toEqual({ accepted: given.length - repeated, ignored: repeated });
  });

  it("gives records in the order first stored, however their ids sort", async ({ expect }) => {
    const customers = ["z", "a", "m"].map((id) => seed.customer({ id: `order-${id}` }));
    await mustFeed(customers);

    const given = await exported("customer");

    const ids = given.map(({ id }) => String(id)).filter((id) => id.startsWith("order-"));
    expect(ids).toEqual(["order-z", "order-a", "order-m"]);
  });

  it("gives each referrer before whom they referred, whoever was stored first", async ({ expect }) => {
    const store = seed.store(stored.account.id);
    const line = Array.from({ length: 12 }, (_, index) => seed.customer({ id: `line-${index}` }));
    // Referred by somebody stored later, five times in twelve steps.
    const order = [7, 3, 9, 1, 11, 0, 5, 2, 10, 4, 8, 6].map((index) => line[index]?.id);
    const members = order.map((id, index) => seed.membership(store.id, id, { referrer_id: order[index - 1] ?? null }));
    await mustFeed([store, ...line, ...members]);

    const given = await exported("membership");

    const ids = given.filter(({ store_id }) => store_id === store.id).map(({ customer_id }) => customer_id);
    const late = given.filter(({ store_id, referrer_id }, index) => {
      const before = given.slice(0, index).some((one) => one.store_id === store_id && one.customer_id === referrer_id);
      return referrer_id !== null && !before;
    });
    expect([...ids].sort()).toEqual([...order].sort());
    expect(late).toEqual([]);
  });
});

describe("a page of an export", () => {
  it("has at most 2,000 lines, and the next goes on after it", async ({ expect }) => {
    const friends = Array.from({ length: 120 }, (_, index) => seed.customer({ id: `friend-${index}` }));
    const pairs = friends.flatMap((one, index) => friends.slice(0, index).map(({ id }) => seed.friendship(one.id, id)));
    await mustFeed(friends);
    await mustFeed(pairs);

    const pages = await exportPages(`${EXPORT}?record=friendship`);

    const counts = pages.map(({ body }) => body.length);
    expect(counts[0]).toBe(LINE_LIMIT);
    const keys = lines(pages).map(({ customer_id, friend_id }) => `${customer_id} ${friend_id}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.includes("friend-"))).toHaveLength(pairs.length);
  });

  it("is of all kinds where the list of kinds is empty", async ({ expect }) => {
    await mustFeed([seed.customer()]);

    const [page] = await exportPages(`${EXPORT}?record=,`);
    const [whole] = await exportPages(EXPORT);

    expect(page?.body).toEqual(whole?.body);
    expect(page?.body.length).toBeGreaterThan(0);
  });

  it("is cut so that one feed request takes it, by its bytes and the items of its lists", async ({ expect }) => {
    const logo = "x".repeat(250_000);
    const accounts = Array.from({ length: 40 }, () => seed.account({ loyalty_options: { chain_logo: logo } }));
    const [account] = accounts;
    const stores = Array.from({ length: 4_000 }, (_, index) => seed.store(account?.id, { id: `listed-${index}` }));
    const ids = stores.map(({ id }) => id);
    const campaigns = Array.from({ length: 30 }, (_, index) =>
      seed.campaign(account?.id, { id: `listing-${index}`, store_ids: ids }),
    );
    await mustFeed([...accounts, ...stores, ...campaigns]);

    const pages = await exportPages(`${EXPORT}?record=account,campaign`);

    for (const { body } of pages) {
      const text = body.map((line: unknown) => `${JSON.stringify(line)}\n`).join("");
      const items = body.flatMap(({ store_ids }: { store_ids?: string[] }) => [store_ids ?? []].flat()).length;
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(BODY_LIMIT.bytes);
      expect(items).toBeLessThanOrEqual(ITEM_LIMIT);
    }
    const given = lines(pages).map(({ id }) => id);
    expect(new Set(given).size).toBe(given.length);
    expect([...accounts, ...campaigns].filter(({ id }) => !given.includes(id))).toEqual([]);
  });
});

describe("a page of texts that take more room as JSON than in the database", () => {
  it("is not sent by the database beyond 2 MiB, and no message is lost between pages", async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];
    const group = seed.group([one.id, other.id]);
    const messages = Array.from({ length: 700 }, (_, index) =>
      seed.message(group.id, one.id, { id: `control-${index}`, body: "\u0001".repeat(4_000) }),
    );
    await mustFeed([one, other, group, ...messages]);
    const session = Object.getPrototypeOf(env.DB.withSession());
    const real = session.batch;
    const sent: number[] = [];
    vi.spyOn(session, "batch").mockImplementation(async function (this: unknown, ...given: unknown[]) {
      const results = await real.apply(this, given);
      sent.push(JSON.stringify(results).length);
      return results;
    });

    const pages = await exportPages(`${EXPORT}?record=message`);
    vi.restoreAllMocks();

    expect(Math.max(...sent)).toBeLessThan(2.2 * 1024 * 1024);
    const ids = lines(pages).map(({ id }) => String(id));
    expect(ids.filter((id) => id.startsWith("control-")).sort()).toEqual(messages.map(({ id }) => String(id)).sort());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("what was deleted", () => {
  it("comes as its line and is deleted again on a later page, unless it left nothing behind", async ({ expect }) => {
    const gone = program("gone");
    await mustFeed(gone.lines);
    const deletable = KINDS.filter(({ type }) => type === "state");
    const keyOf = (record: string) => {
      const { keyFields = [] } = KINDS.find((kind) => kind.record === record) ?? {};
      return Object.fromEntries(keyFields.map((field) => [field, gone.one[record]?.[field]]));
    };
    await mustFeed(deletable.map(({ record }) => seed.deleted(record, keyOf(record))));

    const pages = await exportPages();

    const found = deletable.map(({ record }) => {
      const isIt = (line: Record<string, unknown>) =>
        line.record === record && Object.entries(keyOf(record)).every(([field, value]) => line[field] === value);
      const places = pages.flatMap(({ body }, page) => body.filter(isIt).map((line: object) => ({ page, line })));
      return { record, places };
    });
    const kept = found.filter(({ places }) => places.length > 0);
    expect(kept.map(({ record }) => record)).toEqual([
      ...["account", "store", "campaign", "customer", "membership", "coupon", "employee", "eip_campaign"],
    ]);
    for (const { record, places } of kept) {
      expect(places).toHaveLength(2);
      expect(places[1]?.line).toEqual(seed.deleted(record, keyOf(record)));
      expect(places[1]?.page).toBeGreaterThan(places[0]?.page ?? 0);
    }
  });

  it("never stands on a page with lines that write", async ({ expect }) => {
    const pages = await exportPages();

    const mixed = pages.filter(({ body }) => new Set(body.map(({ deleted = false }) => deleted)).size > 1);
    expect(mixed).toEqual([]);
  });

  it("leaves out removed groups and their messages", async ({ expect }) => {
    const [a, b] = [seed.customer(), seed.customer()];
    const group = seed.group([a.id, b.id]);
    await mustFeed([
      a,
      b,
      group,
      ...["one", "two"].map((id) => seed.message(group.id, a.id, { id: `left-out-${id}` })),
    ]);
    await mustFeed([seed.deleted("message_group", { id: group.id })]);

    const given = await exported("message_group", "message", "message_state");

    expect(given.filter((line) => line.id === group.id || line.group_id === group.id)).toEqual([]);
  });

  it("gives the messages that a group shows after the others of their seconds", async ({ expect }) => {
    const [a, b] = [seed.customer(), seed.customer()];
    const group = seed.group([a.id, b.id]);
    const at = (id: string, second: number) =>
      seed.message(group.id, a.id, { id: `${group.id}-${id}`, sent_at: `2024-01-01 00:00:0${second}` });
    await mustFeed([a, b, group, at("z", 1), at("earlier", 1), at("y", 2), at("newest", 2), at("old", 0)]);

    const given = await exported("message");

    const found = given.filter(({ group_id }) => group_id === group.id).map(({ id }) => String(id).split("-")[1]);
    expect(found).toEqual(["old", "y", "z", "earlier", "newest"]);
  });

  it("keeps an erased customer's id and nothing else", async ({ expect }) => {
    const customer = seed.customer({ first_name: "Erased", city: "Secret" });
    await mustFeed([customer, seed.membership(stored.store.id, customer.id)]);
    await mustFeed([seed.deleted("customer", { id: customer.id })]);

    const given = await exported("customer", "membership");

    const of = given.filter(({ id, customer_id }) => id === customer.id || customer_id === customer.id);
    expect(of.map(({ record, deleted = false }) => [record, deleted])).toEqual([
      ["customer", false],
      ["membership", false],
      ["membership", true],
      ["customer", true],
    ]);
    expect(of[0]).toMatchObject({ first_name: "", city: "", date_of_birth: null });
  });
});

describe("an export is refused", () => {
  const get = async (token: string, query = "") =>
    send(`${EXPORT}${query}`, { headers: { Authorization: `Bearer ${token}` } });

  it("to a feed's token with both words, which may do both", async ({ expect }) => {
    expect((await get(await exportToken({ scope: "feed export" }), "?record=program")).status).toBe(200);
  });

  const encode = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  it.for([
    "x",
    "%ff",
    "====",
    encode(7),
    encode({}),
    encode({ scan: "nothing 1" }),
    encode({ scan: "store 1", after: [] }),
    encode({ scan: "store 1", after: ["s1"] }),
    encode({ scan: "store 1", after: [1, 2] }),
    encode({ scan: "store 1", after: [1.5] }),
    encode({ scan: "play 1", after: [1] }),
    encode({ scan: "play 1", after: [""] }),
    encode({ scan: "play 1", after: ["x".repeat(65)] }),
  ])("for a cursor that no link gave: %s", async (after, { expect }) => {
    const { status, body } = await get(await exportToken(), `?after=${after}`);

    expect(status).toBe(422);
    expect(body.messages).toEqual({ after: ["must be as a Link header gave it"] });
  });

  it("for a cursor of an export of other kinds", async ({ expect }) => {
    const after = encode({ scan: "store 1" });

    const { status, body } = await get(await exportToken(), `?record=customer&after=${after}`);

    expect(status).toBe(422);
    expect(body.messages).toEqual({ after: ["must be of an export of the same kinds and customer"] });
  });

  it("leaves nothing written", async ({ expect }) => {
    expect(await rows("SELECT count(*) AS n FROM refusals")).toEqual([{ n: 0 }]);
  });
});
