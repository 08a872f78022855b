import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import { listenAs } from "../../support/live.ts";
import * as seed from "../../support/seed.ts";

const MESSAGES = "/api/v1/customer/messages";

async function seedPair() {
  const account = seed.account();
  const store = seed.store(account.id);
  const [ada, bo] = [seed.customer(), seed.customer()];
  await mustFeed([account, store, ada, bo]);
  return { account, store, ada, bo };
}

describe("what an open app is told", () => {
  it("a balance entry concerns its customer, and nobody else", async ({ expect }) => {
    const { store, ada, bo } = await seedPair();
    const [hers, his] = [await listenAs(ada.id), await listenAs(bo.id)];

    await mustFeed([seed.entry(ada.id, store.id, "5.00")]);

    expect(await hers.next()).toEqual({ type: "changed", what: ["balance"] });
    expect(his.frames).toHaveLength(1);
  });

  it("a message, once the endpoint shows it", async ({ expect }) => {
    const { ada, bo } = await seedPair();
    const group = seed.group([ada.id, bo.id]);
    await mustFeed([group]);
    const socket = await listenAs(bo.id);

    await mustFeed([seed.message(group.id, ada.id, { body: "Hi" })]);

    expect(await socket.next()).toEqual({ type: "changed", what: ["messages"] });
    const { body } = await as(bo.id).get(MESSAGES);
    expect(body.items[0].last_message).toBe("Hi");
  });

  it("answers a quiet poll without D1", async ({ expect }) => {
    const { ada } = await seedPair();
    const first = await as(ada.id).get(MESSAGES);
    const second = await as(ada.id).get(MESSAGES);
    expect([trips(first), trips(second)]).toEqual([1, 0]);
    expect(second.body).toEqual(first.body);
  });
});
