import { describe, it } from "vitest";
import { day, time } from "../../scripts/conform/lines.ts";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// A feed takes no state that nobody meant, and says what is wrong (docs/contract/feed.md, 1 to 3).

const account = seed.account();
const store = seed.store(account.id);
const [ann, ben] = [seed.customer({ first_name: "Ann" }), seed.customer({ first_name: "Ben" })];
const group = seed.group([ann.id, ben.id]);
const campaign = seed.campaign(account.id);
const coupon = seed.coupon(account.id);
const contest = seed.eipCampaign(account.id);
const employee = seed.employee(account.id);
const BASE = [account, store, ann, ben, group, campaign, coupon, contest, employee, seed.membership(store.id, ann.id)];
const AHEAD = "is more than a day ahead of the database's clock";
const inHours = (hours: number) => time(hours * 3_600);

describe("a time that is ahead", () => {
  it.for<[field: string, line: FeedLine, hours: number]>([
    ["read_at", seed.messageState(group.id, ann.id, { read_at: "2099-01-01" }), 0],
    ["joined_at", seed.membership(store.id, ben.id, { joined_at: inHours(25) }), 25],
    ["created_at", seed.entry(ann.id, store.id, "1", { created_at: inHours(25) }), 25],
    ["earned_at", seed.earning(store.id, ann.id, 1, "1", { earned_at: inHours(25) }), 25],
    ["played_at", seed.play(contest.id, store.id, employee.id, { played_at: inHours(25) }), 25],
    ["sent_at", seed.message(group.id, ann.id, { sent_at: inHours(25) }), 25],
  ])("by more than a day is a bad %s", async ([field, line], { expect }) => {
    await mustFeed(BASE);

    const { status, body } = await feed([seed.store(account.id), line]);

    expect([status, body.messages]).toEqual([422, { [`line 2.${field}`]: [AHEAD] }]);
  });

  it("by less than a day is taken", async ({ expect }) => {
    await mustFeed(BASE);

    const { body } = await mustFeed([seed.entry(ann.id, store.id, "1", { created_at: inHours(23) })]);

    expect(body.items).toEqual({ accepted: 1, ignored: 0 });
  });

  it("counts as now where a member has read so far, so that later messages are unread", async ({ expect }) => {
    const [reader, writer] = [seed.customer(), seed.customer()];
    const chat = seed.group([reader.id, writer.id]);
    await mustFeed([reader, writer, chat, seed.messageState(chat.id, reader.id, { read_at: inHours(23) })]);
    // A message of the same second would be read.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await mustFeed([seed.message(chat.id, writer.id)]);

    // A message is shown once its second is over.
    const readStatus = async () => (await as(reader.id).get("/api/v1/customer/messages")).body.items?.[0]?.read_status;
    await expect.poll(readStatus, { timeout: 10_000 }).toBe(0);
  });
});

describe("an end before its beginning", () => {
  const created_at = "2026-03-01 00:00:00";
  it.for<[field: string, line: FeedLine]>([
    ["campaign_end_date", { ...campaign, campaign_start_date: day(2), campaign_end_date: day(1) }],
    ["end_date", { ...contest, start_date: day(2), end_date: day(1) }],
    ["expiration_date", { ...coupon, can_expire: 1, expiration_date: "2026-02-28", created_at }],
  ])("is a bad %s", async ([field, line], { expect }) => {
    await mustFeed(BASE);

    const { status, body } = await feed([line]);

    expect([status, Object.keys(body.messages ?? {})]).toEqual([422, [`line 1.${field}`]]);
    expect(body.messages[`line 1.${field}`]).toEqual([expect.stringMatching(/^must not be before \w+$/)]);
  });

  it("on the same day is taken", async ({ expect }) => {
    await mustFeed(BASE);
    const sameDay = { campaign_start_date: day(1), campaign_end_date: day(1) };

    const { status } = await feed([
      { ...campaign, ...sameDay },
      { ...coupon, can_expire: 1, expiration_date: "2026-03-01", created_at },
      { ...coupon, id: "ends-before-but-cannot", expiration_date: "2026-02-28", created_at },
    ]);

    expect(status).toBe(200);
  });
});

describe("a line that changes what it belongs to", () => {
  const FIXED = ["is fixed once written"];

  it("gets one reason: of a membership, not that the sponsor is no member", async ({ expect }) => {
    const [first, second, member] = [seed.customer(), seed.customer(), seed.customer()];
    const sponsors = [seed.membership(store.id, first.id), seed.membership(store.id, second.id)];
    await mustFeed([...BASE, first, second, member, ...sponsors]);
    await mustFeed([seed.membership(store.id, member.id, { referrer_id: first.id })]);

    const { status, body } = await feed([seed.membership(store.id, member.id, { referrer_id: second.id })]);

    expect([status, body.messages]).toEqual([422, { "line 1.referrer_id": FIXED }]);
  });

  it.for<[what: string, make: (own: string, other: string) => [stored: FeedLine[], changed: FeedLine]]>([
    [
      "a campaign, not that its stores are of another account",
      (own, other) => {
        const shop = seed.store(own);
        const sale = seed.campaign(own, { store_ids: [shop.id] });
        return [[shop, sale], { ...sale, account_id: other }];
      },
    ],
    [
      "a coupon, not that its campaign is of another account",
      (own, other) => {
        const sale = seed.campaign(own);
        const deal = seed.coupon(own, { campaign_id: sale.id });
        return [[sale, deal], { ...deal, account_id: other }];
      },
    ],
  ])("gets one reason: of %s", async ([, make], { expect }) => {
    const [own, other] = [seed.account(), seed.account()];
    const [stored, changed] = make(own.id, other.id);
    await mustFeed([own, other, ...stored]);

    const { status, body } = await feed([changed]);

    expect([status, body.messages]).toEqual([422, { "line 1.account_id": FIXED }]);
  });
});

describe("a line that is not JSON", () => {
  it.for<[line: string, fault: string]>([
    ['{"record":"store","latitude":NaN}', "not JSON, at character 30 stands NaN"],
    ['{"record":"store"},', "not JSON, at character 19 stands ,: nothing may follow the object"],
    ["{“record”:”store”}", "not JSON, at character 2 stands “: only straight double quotes enclose a text"],
    ["{'record':'store'}", "not JSON, at character 2 stands ': only straight double quotes enclose a text"],
    ['{"record":"store",}', "not JSON, at character 19 stands }: no comma may stand before it"],
    ['{"record":"store" "id":"s"}', 'not JSON, at character 19 stands ": a comma is missing before it'],
    ['{"record":"store"', "not JSON, it ends too early, at character 17"],
    ['{"name":"🍩\ts"}', "not JSON, at character 11 stands U+0009: a text must not hold it unescaped"],
    ['{"name":"\\x41"}', "not JSON, at character 10 stands \\: no such escape"],
    ['{"a":01}', "not JSON, at character 6 stands 01"],
    ['{"a":True}', "not JSON, at character 6 stands True"],
    ["id;name;latitude", "not JSON, at character 1 stands id"],
    ['[{"record":"store"}]', "an array: send each object on a line of its own, without an array"],
    ["[", "not JSON, it ends too early, at character 1: send each object on a line of its own, without an array"],
    ["{", "not JSON, it ends too early, at character 1: send each object on a line of its own, without an array"],
    ['"store"', "a string"],
  ])("is told where and what: %s", async ([line, fault], { expect }) => {
    const { status, body } = await feed(["", line]);

    expect([status, body.messages]).toEqual([422, { "line 2": [`must be a JSON object: it is ${fault}`] }]);
  });
});

describe("a time of the feed", () => {
  const entryAt = (created_at: string) => seed.entry(ann.id, store.id, "1", { created_at });

  it.for([
    ["2024-01-02 10:30:00 -0500", "2024-01-02 15:30:00"],
    ["2024-01-02 10:30:00 UTC", "2024-01-02 10:30:00"],
    ["2024-01-02 10:30:00.123 +05:30", "2024-01-02 05:00:00"],
    ["2024-01-02T10:30:00Z", "2024-01-02 10:30:00"],
  ] as const)("is taken as databases export it: %s", async ([fed, stored], { expect }) => {
    const reader = seed.customer();
    const entry = { ...entryAt(fed), customer_id: reader.id };
    await mustFeed([...BASE, reader]);

    await mustFeed([entry]);

    const { body } = await as(reader.id).get("/api/v1/customer/me/entries");
    expect(body.items[0].created_at).toBe(stored);
  });

  it.for([
    ["2024-01-02T10:30:00", "must end with Z or an offset such as -05:00, because it has a T"],
    ["2024-01-02 10:30", "must have seconds, YYYY-MM-DD HH:MM:SS in UTC"],
    ["2024-01-02T10:30Z", "must have seconds, YYYY-MM-DD HH:MM:SS in UTC"],
    ["2024-02-30 10:30:00", "must exist in the calendar"],
    ["2024-02-28 24:00:00", "must exist in the calendar"],
    ["02/01/2024", "must be a time, YYYY-MM-DD HH:MM:SS in UTC, or a date, YYYY-MM-DD"],
    [1_704_189_600, "must be a time, YYYY-MM-DD HH:MM:SS in UTC, or a date, YYYY-MM-DD"],
  ] as const)("is refused with its fault: %s", async ([fed, fault], { expect }) => {
    await mustFeed(BASE);

    const { status, body } = await feed([{ ...seed.entry(ann.id, store.id, "1"), created_at: fed }]);

    expect([status, body.messages]).toEqual([422, { "line 1.created_at": [fault] }]);
  });
});

describe("an unknown field", () => {
  it("is named in the answer, the first ten of them", async ({ expect }) => {
    await mustFeed(BASE);
    const named = {
      ...account,
      loyalty_options: { chain_name: "Blue", mailer_secret: "x", team_breakdown: { level_9: "1" } },
    };
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`x${index}`, index]));

    const { body } = await mustFeed([named, { ...store, colour: "red", deleted: false }, { ...employee, ...many }]);

    expect(body.items.warnings).toEqual([
      "line 1.loyalty_options.chain_name: no field of an account",
      "line 1.loyalty_options.team_breakdown.level_9: no field of an account",
      "line 2.colour: no field of a store",
      ...Array.from({ length: 7 }, (_, index) => `line 3.x${index}: no field of an employee`),
    ]);
  });

  it("of a line that deletes is not named", async ({ expect }) => {
    const { body } = await mustFeed([{ record: "store", id: "nobody", colour: "red", deleted: true }]);

    expect(body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});

describe("an end of the feed", () => {
  it.for(["31.12.2026", 20261231])("is a time or a date: %s", async (expiration_date, { expect }) => {
    const { body } = await feed([{ ...coupon, expiration_date }]);

    const fault = "must be a time, YYYY-MM-DD HH:MM:SS in UTC, or a date, YYYY-MM-DD";
    expect(body.messages).toEqual({ "line 1.expiration_date": [fault] });
  });
});

describe("a barcode", () => {
  it.for([
    ["0123", 123],
    ["12345678901234567890", 0],
    ["AB-12 /z", 0],
    ["]C1~".padEnd(70, "9"), 0],
  ] as const)("is a text: %s", async ([coupon_barcode, asNumber], { expect }) => {
    const holder = seed.customer();
    const kinds = {
      store: seed.coupon(account.id, { coupon_barcode }),
      mfg: seed.coupon(account.id, { kind: "mfg", coupon_barcode }),
    };
    const digital = seed.coupon(account.id, { kind: "digital", coupon_barcode });
    const issued = Object.values(kinds).map(({ id }) => seed.customerCoupon(holder.id, id, store.id));
    await mustFeed([
      ...BASE,
      holder,
      seed.membership(store.id, holder.id),
      ...Object.values(kinds),
      digital,
      ...issued,
    ]);

    const simple = await as(holder.id).get("/api/v1/customer/coupons");
    const detailed = await as(holder.id).get("/api/v1/customer/coupons?includemfg=1");
    const combined = await as(holder.id).get("/api/v1/customer/my-coupons");

    const { items } = combined.body;
    const records = [
      ...simple.body.items,
      ...detailed.body.items.stores,
      ...detailed.body.items.mfg,
      ...items.store,
      ...items.mfg,
    ];
    expect(records).toHaveLength(5);
    for (const record of records) expect(record).toMatchObject({ coupon_barcode: asNumber, barcode: coupon_barcode });
    const found = items.digital.find((entry: { coupon: { id: string } }) => entry.coupon.id === digital.id);
    expect(found.coupon).toMatchObject({ coupon_barcode, barcode: coupon_barcode });
  });

  it("is refused with the rule", async ({ expect }) => {
    const { status, body } = await feed([{ ...coupon, coupon_barcode: "é" }]);

    expect([status, body.messages["line 1.coupon_barcode"]]).toEqual([
      422,
      ["must be 1 to 70 printable ASCII characters"],
    ]);
  });
});

describe("the last message of a sender whom the caller has blocked", () => {
  it("has no text, name and avatar, and is read; for others it stays", async ({ expect }) => {
    const [reader, blocked, other] = [
      seed.customer(),
      seed.customer({ avatar: "https://a.example/x" }),
      seed.customer(),
    ];
    const chat = seed.group([reader.id, blocked.id, other.id]);
    const message = seed.message(chat.id, blocked.id, { body: "Boo", sent_at: "2026-01-06 09:00:00" });
    await mustFeed([reader, blocked, other, chat, message, seed.block(reader.id, blocked.id)]);

    const shownTo = async (id: string) => (await as(id).get("/api/v1/customer/messages")).body.items[0];

    const hidden = { last_message: "", last_customer_name: "", last_customer_avatar: "", read_status: 1 };
    const time = { last_message_time: "2026-01-06 09:00:00", last_customer: blocked.id };
    expect(await shownTo(reader.id)).toMatchObject({ ...hidden, ...time });
    expect(await shownTo(other.id)).toMatchObject({
      last_message: "Boo",
      last_customer_name: "Ada Lovelace",
      read_status: 0,
      ...time,
    });
  });
});
