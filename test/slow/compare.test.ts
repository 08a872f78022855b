import { describe, it } from "vitest";
import { type Difference, describe as describeDifference } from "../../scripts/compare/differences.ts";
import { comparisonOf } from "./comparing.ts";

type Line = Record<string, unknown>;

const HORIZON = "2026-05-01 00:00:00";
const PROGRAM = {
  record: "program",
  message_stamp: HORIZON,
  message_clock_said: HORIZON,
  horizon: HORIZON,
  retention_steps: 1,
};
const CUSTOMER = { record: "customer", id: "c1", first_name: "Ada", last_name: "Lovelace" };
const STORE = { record: "store", id: "s1", account_id: "165", name: "Main", latitude: 1, longitude: 2.5 };
const ENTRY = { record: "balance_entry", id: "b1", customer_id: "c1", store_id: "s1", amount: "5" };
const MEMBER = { record: "membership", store_id: "s1", customer_id: "c1" };
const MESSAGE = { record: "message", id: "m1", group_id: "g1", customer_id: "c1", body: "Hi" };
const CAMPAIGN = { record: "campaign", id: "k1", account_id: "165", name: "K", campaign_start_date: "2026-01-01" };
const COUPON = { record: "coupon", id: "q1", account_id: "165", kind: "store", name: "Q", type: "T", value: "1" };
const STATE = { record: "message_state", group_id: "g1", customer_id: "c1" };
const GROUP = { record: "message_group", id: "g1", initial_customer_id: "c1", member_ids: ["c1", "c2"] };
const deletionOf = ({ record, ...fields }: Line, ...key: string[]) => ({
  record,
  ...Object.fromEntries(key.map((name) => [name, fields[name]])),
  deleted: true,
});

const short = (difference: Difference) => `${difference.what} ${difference.remedy}: ${describeDifference(difference)}`;

describe("a record of a file", () => {
  it.for<[what: string, file: Line[], exported: Line[]]>([
    [
      "with its defaults left out and amounts in other spellings",
      [STORE, ENTRY, { ...COUPON, value: "1.0" }],
      [
        { ...STORE, latitude: 1.0, store_image: "", phone: "" },
        {
          ...ENTRY,
          amount: "5.00",
          campaign_id: null,
          description: "",
          created_at: "2026-06-01 00:00:00",
          sealed: undefined,
        },
        { ...COUPON, value: "1.00", header_lines: [], created_at: "2026-06-01 00:00:00" },
      ],
    ],
    [
      "with a time in another form",
      [{ ...MEMBER, joined_at: "2026-06-01T02:00:00+02:00" }],
      [{ ...MEMBER, joined_at: "2026-06-01 00:00:00" }],
    ],
    [
      "without the referrer and the time that are stored",
      [MEMBER],
      [{ ...MEMBER, referrer_id: "c9", joined_at: "2026-06-01 00:00:00" }],
    ],
    [
      "with stores in another order, one of them twice",
      [{ ...CAMPAIGN, store_ids: ["s2", "s1", "s2"] }],
      [{ ...CAMPAIGN, store_ids: ["s1", "s2"] }],
    ],
    [
      "that is a friendship in the other direction",
      [{ record: "friendship", customer_id: "a", friend_id: "b", status: 1 }],
      [{ record: "friendship", customer_id: "b", friend_id: "a", status: 1 }],
    ],
    ["that a later line of the file replaces", [{ ...CUSTOMER, first_name: "Grace" }, CUSTOMER], [CUSTOMER]],
    ["that a line deletes and another writes again", [CUSTOMER, deletionOf(CUSTOMER, "id"), CUSTOMER], [CUSTOMER]],
    [
      "that the file deletes, and the export shows as deleted",
      [CUSTOMER, deletionOf(CUSTOMER, "id")],
      [{ ...CUSTOMER, first_name: "" }, deletionOf(CUSTOMER, "id")],
    ],
    [
      "that the service has deleted, and the file does not have",
      [STORE],
      [STORE, { ...STORE, id: "s2" }, deletionOf({ ...STORE, id: "s2" }, "id")],
    ],
    [
      "that is a membership of the present life",
      [MEMBER],
      [MEMBER, { ...MEMBER, life: 1, referrer_id: null }, deletionOf(MEMBER, "store_id", "customer_id")],
    ],
    [
      "that is a message with a stamp",
      [{ ...MESSAGE, sent_at: "2026-06-01 09:59:00" }],
      [{ ...MESSAGE, sent_at: "2026-06-01 10:00:07" }],
    ],
    ["that is a deleted message", [MESSAGE, deletionOf(MESSAGE, "id")], [{ ...MESSAGE, body: "" }]],
    [
      "that was read ahead of the clock",
      [{ ...STATE, read_at: "2999-01-01 10:00:00" }],
      [{ ...STATE, read_at: "2999-01-01 09:59:00" }],
    ],
    [
      "that is an event which retention has added up",
      [{ ...ENTRY, created_at: "2026-04-01" }],
      [PROGRAM, { ...ENTRY, id: undefined, sealed: true, created_at: "2026-04-01 00:00:00" }],
    ],
    [
      "that ended with a customer whom the file erases",
      [CUSTOMER, MEMBER, deletionOf(CUSTOMER, "id")],
      [CUSTOMER, deletionOf(CUSTOMER, "id")],
    ],
    ["that is a message of a group which the file removes", [GROUP, MESSAGE, deletionOf(GROUP, "id")], []],
    ["that is a second line of an event", [ENTRY, { ...ENTRY, description: "again" }], [ENTRY]],
  ])("is equal: one %s", async ([, file, exported], { expect }) => {
    const { all } = await comparisonOf(file, exported);

    expect(all.map(short)).toEqual([]);
  });
});

describe("the advice", () => {
  const LEFT = "left: an event never changes, nor what a record belongs to.";
  const ADD = "Add an event that only the service has to the file.";
  const CORRECT = "Correct a wrong event by another, and give a record that belongs elsewhere another id.";
  const SYNC = "--sync makes the states equal.";

  it.for<[what: string, file: Line[], exported: Line[], advice: string]>([
    ["a state", [STORE], [], SYNC],
    ["an event of the service", [ENTRY], [ENTRY, { ...ENTRY, id: "b2" }], `1 difference is ${LEFT} ${ADD}`],
    ["a wrong event", [ENTRY], [{ ...ENTRY, amount: "6" }], `1 difference is ${LEFT} ${CORRECT}`],
    [
      "all of these",
      [CUSTOMER, ENTRY],
      [
        { ...ENTRY, amount: "6" },
        { ...ENTRY, id: "b2" },
      ],
      `${SYNC} 2 differences are ${LEFT} ${ADD} ${CORRECT}`,
    ],
  ])("on %s says what --sync does, and what it leaves", async ([, file, exported, advice], { expect }) => {
    expect((await comparisonOf(file, exported)).advice).toBe(advice);
  });
});

describe("--sync without --allow-deletes", () => {
  const blocks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ record: "block", customer_id: "c1", blocked_id: `c${index + 2}` }));

  it.for<[stored: number, most: number]>([
    [90, 0],
    [100, 1],
    [2_150, 21],
  ])("of %s records of a kind deletes %s", async ([stored, most], { expect }) => {
    const deletes = async (count: number) =>
      (await comparisonOf(blocks(stored).slice(count), blocks(stored), { only: ["block"] })).refusal;

    expect(await deletes(most)).toBe("");
    expect(await deletes(most + 1)).toMatch(
      new RegExp(`would be deleted, more than 1 %\\. Is the file whole\\?.* go: --allow-deletes ${most + 1}$`),
    );
  });
});

describe("--accounts", () => {
  const other = { ...STORE, id: "s2", account_id: "166" };

  it("compares only what belongs to these accounts", async ({ expect }) => {
    const changed = (line: Line) => ({ ...line, name: "Side" });
    const otherEntry = { ...ENTRY, id: "b2", store_id: "s2" };

    const { all, text } = await comparisonOf(
      [STORE, ENTRY, CUSTOMER, { ...MEMBER, store_id: "s2" }],
      [changed(STORE), changed(other), otherEntry, deletionOf(CUSTOMER, "id")],
      { accounts: ["165"] },
    );

    expect(all.map(short)).toEqual([
      'differs send: store s1, line 1: name is "Main" in the file, "Side" in the service',
      "missing send: balance_entry b1, line 2: not in the service",
    ]);
    expect(text).not.toMatch(/166|customer/);
  });

  it("compares what the file deletes", async ({ expect }) => {
    const lines = [STORE, deletionOf(STORE, "id"), deletionOf(other, "id")];

    const { all } = await comparisonOf(lines, [STORE, other], { accounts: ["165"] });

    expect(all.map(short)).toEqual(["surplus delete: store s1: not in the file"]);
  });
});

describe("a record that differs", () => {
  it.for<[what: string, file: Line[], exported: Line[], says: string]>([
    ["is missing in the service", [CUSTOMER], [], "missing send: customer c1, line 1: not in the service"],
    [
      "is deleted in the service",
      [STORE],
      [STORE, deletionOf(STORE, "id")],
      "missing send: store s1, line 1: not in the service",
    ],
    [
      "has another value",
      [STORE],
      [{ ...STORE, name: "Side", phone: "1" }],
      'differs send: store s1, line 1: name is "Main" in the file, "Side" in the service; phone is "" in the file, "1" in the service',
    ],
    [
      "has its members in another order",
      [GROUP],
      [{ ...GROUP, member_ids: ["c2", "c1"] }],
      'differs send: message_group g1, line 1: member_ids is ["c1","c2"] in the file, ["c2","c1"] in the service',
    ],
    [
      "was read up to another time",
      [{ ...STATE, read_at: "2026-06-01 10:00:00" }],
      [{ ...STATE, read_at: "2026-06-01 09:00:00" }],
      'differs send: message_state g1 c1, line 1: read_at is "2026-06-01 10:00:00" in the file, "2026-06-01 09:00:00" in the service',
    ],
    ["is not in the file", [STORE], [STORE, { ...STORE, id: "s2" }], "surplus delete: store s2: not in the file"],
    [
      "is deleted by the file",
      [deletionOf(MEMBER, "store_id", "customer_id")],
      [MEMBER],
      "surplus delete: membership s1 c1: not in the file",
    ],
    [
      "is a message that the file deletes",
      [MESSAGE, deletionOf(MESSAGE, "id")],
      [MESSAGE],
      "surplus delete: message m1: not in the file",
    ],
    [
      "belongs elsewhere",
      [STORE],
      [{ ...STORE, account_id: "166" }],
      'differs never: store s1, line 1: account_id is "165" in the file, "166" in the service (stays)',
    ],
    [
      "is an event with another amount",
      [ENTRY],
      [{ ...ENTRY, amount: "5.01" }],
      'differs never: balance_entry b1, line 1: amount is "5" in the file, "5.01" in the service (stays)',
    ],
    [
      "is an event that only the service has",
      [ENTRY],
      [ENTRY, { ...ENTRY, id: "b2" }],
      "surplus never: balance_entry b2: not in the file (stays)",
    ],
    [
      "is a message of another hour",
      [{ ...MESSAGE, sent_at: "2026-06-01 08:59:59" }],
      [{ ...MESSAGE, sent_at: "2026-06-01 10:00:00" }],
      'differs never: message m1, line 1: sent_at is "2026-06-01 08:59:59" in the file, "2026-06-01 10:00:00" in the service (stays)',
    ],
    [
      "is a message whose body only the service has emptied",
      [MESSAGE],
      [{ ...MESSAGE, body: "" }],
      "differs never: message m1, line 1: not equal (stays)",
    ],
    [
      "is an event that is too new to be added up",
      [{ ...ENTRY, created_at: "2026-05-01" }],
      [PROGRAM],
      "missing send: balance_entry b1, line 1: not in the service",
    ],
  ])("%s", async ([, file, exported, says], { expect }) => {
    const { all } = await comparisonOf(file, exported);

    expect(all.map(short)).toEqual([says]);
  });

  it("is counted and added up by kind and account, with what retention has added up", async ({ expect }) => {
    const other = { ...STORE, id: "s2", account_id: "166" };
    const old = { ...ENTRY, id: "b0", amount: "7", created_at: "2026-04-01" };
    const summary = { ...old, id: undefined, sealed: true, created_at: "2026-04-01 00:00:00" };
    const ofCampaign = { ...summary, customer_id: null, campaign_id: "k1" };

    const { text } = await comparisonOf(
      [STORE, other, old, ENTRY, { ...ENTRY, id: "b2", store_id: "s2", amount: "-0.5" }],
      [STORE, other, ENTRY, { ...ENTRY, id: "b2", store_id: "s2", amount: "0.50" }, summary, ofCampaign, PROGRAM],
    );

    const rows = text.split("\n").filter((line) => line.includes("balance_entry"));
    expect(
      rows.map((row) =>
        row
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1)
          .join(" "),
      ),
    ).toEqual([
      "balance_entry 3 2 1 11.50 12.50",
      "balance_entry 166 1 1 0 -0.50 0.50",
      "balance_entry 165 2 1 1 12.00 12.00",
    ]);
  });
});
