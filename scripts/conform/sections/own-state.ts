import { expectFailure, expectFields, expectInvalid, expectSame, expectThat } from "../expect.ts";
import { type Item, itemsOf } from "../http.ts";
import { Skipped } from "../outcome.ts";
import { section } from "../suite.ts";
import type { Caller } from "../tokens.ts";

export const ownState = section("interface, 4.10", ({ suite, ann, ben, eve, seed, it }) => {
  seed.caller(ann, "Ann Conform");
  seed.caller(ben, "Ben Conform");
  const friend = seed.customer("Fay Friend");
  const talk = seed.group([friend, ann, ben]);
  const silentGroup = seed.group([ann, friend]);
  const [first, last] = ["2026-01-05 09:01:00", "2026-01-05 09:02:00"];
  seed.message(talk, friend, "First", { sent_at: first });
  seed.message(talk, friend, "Last", { sent_at: last });

  /** Sends a write. A program may allow none: then its rule is skipped. */
  const write = async (caller: Caller, method: "PUT" | "DELETE", path: string, body?: Item) => {
    const request = { method, token: caller.token, ...(body && { body: JSON.stringify(body) }) };
    const answer = await suite.http.send(`/api/v1/customer/${path}`, request);
    if (answer.body.errorCode === "FORBIDDEN") throw new Skipped("CUSTOMER_WRITES does not allow it");
    suite.http.continueFrom(answer);
    return answer;
  };
  const mark = (caller: Caller, body: Item, { id } = talk) => write(caller, "PUT", `messages/${id}/state`, body);
  const shown = async (caller: Caller) =>
    itemsOf(await suite.get(caller, "messages")).find(({ group_id }) => group_id === talk.id);

  it("Answers the group as 4.2 shows it, and the next list shows it, too.", async () => {
    expectSame((await mark(ann, { read_up_to: first })).body.items, await shown(ann));
    expectFields(await shown(ann), { read_status: 0, notifications_disabled: 0 });
    expectSame((await mark(ann, { read_up_to: last, notifications_disabled: 1 })).body.items, await shown(ann));
    expectFields(await shown(ann), { read_status: 1, notifications_disabled: 1 });
  });
  it("`read_up_to` never moves a mark back, and a time after the group's last shown message counts as that of this message.", async () => {
    await mark(ben, { read_up_to: "2099-01-01 00:00:00" });
    expectFields((await mark(ben, { read_up_to: first })).body.items, { read_status: 1 });
  });
  it("At least one of both must be given.", async () => {
    expectInvalid(await mark(ann, {}), "read_up_to", "notifications_disabled");
    expectInvalid(
      await mark(ann, { read_up_to: "soon", notifications_disabled: 2 }),
      "read_up_to",
      "notifications_disabled",
    );
  });
  it("A group of which the caller is no member, or that shows no message, is 404.", async () => {
    expectFailure(await mark(eve, { notifications_disabled: 1 }), 404, "NOT_FOUND");
    expectFailure(await mark(ann, { notifications_disabled: 1 }, silentGroup), 404, "NOT_FOUND");
  });
  it("`PUT` blocks, `DELETE` ends the block, and both may be repeated.", async () => {
    for (const [method, is_blocked] of [
      ["PUT", true],
      ["PUT", true],
      ["DELETE", false],
      ["DELETE", false],
    ] as const) {
      const { body } = await write(ann, method, `blocks/${friend.id}`);
      expectSame(body, { status: true, items: { customer_id: friend.id, is_blocked } });
      expectFields(await shown(ann), { last_message: is_blocked ? "" : "Last" });
    }
  });
  it("A customer who is not stored is 404, and blocking oneself is 422.", async () => {
    for (const method of ["PUT", "DELETE"] as const) {
      expectFailure(await write(ann, method, `blocks/${suite.id("nobody")}`), 404, "NOT_FOUND");
      expectInvalid(await write(ann, method, `blocks/${ann.id}`), "customer_id");
    }
  });
});

export const ownRequests = section("interface, 4.11", ({ suite, ann, eve, seed, it }) => {
  seed.caller(ann, "Ann Conform");
  const ask = (caller: Caller, body: Item) =>
    suite.http.send("/api/v1/customer/me/requests", { token: caller.token, body: JSON.stringify(body) });

  it("It answers 202, and a repetition the same: a customer has one open request of each type.", async () => {
    const answers = [await ask(ann, { type: "data" }), await ask(ann, { type: "data" })];
    expectSame(
      answers.map(({ status }) => status),
      [202, 202],
    );
    expectSame(answers[1]?.body, answers[0]?.body);
    expectFields(answers[0]?.body.items, { type: "data" });
    expectThat(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(String(itemOf(answers[0]).requested_at)), "it has no time");
  });
  it("Another type is 422.", async () => expectInvalid(await ask(ann, { type: "all" }), "type"));
  it("A caller who is not stored, or was erased, is 404.", async () =>
    expectFailure(await ask(eve, { type: "data" }), 404, "NOT_FOUND"));
});

const itemOf = (answer: { body: Item } | undefined) => (answer?.body.items ?? {}) as Item;
