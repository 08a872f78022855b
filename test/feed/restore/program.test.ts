import { beforeEach, describe, it } from "vitest";
import { mustFeed, restore } from "../../support/api.ts";
import { showStoredMessages } from "../../support/clock.ts";
import { differences } from "../../support/differences.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { clock, groupsOf, LONG_AGO, messagesStored, mustRestore, NOW, programState, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a program line", () => {
  it("sets the clock of messages, on which the next stamp follows", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group]);
    await mustRestore([clock({ message_stamp: "2026-06-01 10:00:05" })]);

    await mustFeed([seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 10:00:06" }]);
    expect(await programState()).toEqual([{ stamp: "2026-06-01 10:00:06", clock_said: NOW }]);
  });

  it("may say what the clock of a database without messages says", async ({ expect }) => {
    await mustRestore([clock()]);

    await mustRestore([clock({ message_stamp: LONG_AGO, message_clock_said: LONG_AGO })]);

    expect(await programState()).toEqual([{ stamp: LONG_AGO, clock_said: LONG_AGO }]);
  });

  it.for([
    [
      "leaves the clock as it is where all messages are earlier, and are shown",
      "2026-05-01 10:00:01",
      "2026-05-01 10:00:01",
    ],
    ["lets the schedule show messages of its very second", "2026-05-01 10:00:00", NOW],
  ])("%s", async ([, message_stamp, after], { expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group, seed.message(group.id, a, { sent_at: "2026-05-01 10:00:00" })]);
    await mustRestore([clock({ message_stamp, message_clock_said: message_stamp })]);

    await showStoredMessages();

    expect(await programState()).toMatchObject([{ stamp: after }]);
    expect(await groupsOf(a)).toHaveLength(1);
  });

  it("counts the last time that it is said", async ({ expect }) => {
    await mustRestore([clock(), clock({ message_stamp: NOW, message_clock_said: NOW })]);

    expect(await programState()).toEqual([{ stamp: NOW, clock_said: NOW }]);
  });

  it("is refused with a time more than a minute in the future: no later message could be stored", async ({
    expect,
  }) => {
    const { customers, a, group } = talk();
    const never = "9999-12-31 23:59:59";
    const late = { message_stamp: "2026-06-01 10:01:01", message_clock_said: never };

    const refused = await restore([...customers, group, clock(late)]);
    await mustRestore([...customers, group, clock({ message_stamp: "2026-06-01 10:01:00", message_clock_said: NOW })]);
    await mustFeed([seed.message(group.id, a, { id: "m" })]);

    const text = ["must not be more than a minute in the future"];
    expect(refused.body.messages).toEqual({ "line 5.message_stamp": text, "line 5.message_clock_said": text });
    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 10:01:00" }]);
  });

  it("cannot be deleted, and has both its times", async ({ expect }) => {
    const deleted = await restore([{ record: "program", deleted: true }]);
    const bare = await restore([{ record: "program" }]);

    expect(deleted.body.messages).toMatchObject({ "line 1.deleted": ["it cannot be deleted"] });
    expect(Object.keys(bare.body.messages)).toEqual(["line 1.message_stamp", "line 1.message_clock_said"]);
  });
});

describe("the limit of totals", () => {
  it("holds in a restore as in a feed, also for what later lines would take back", async ({ expect }) => {
    const [account, customer] = [seed.account(), seed.customer()];
    const store = seed.store(account.id);
    const entries = Array.from({ length: 91 }, () => seed.entry(customer.id, store.id, "999999999999.99"));
    await mustRestore([account, store, customer]);

    const refused = await restore(entries);

    expect(refused.body.messages).toEqual({ body: ["a total would be too large"] });
    expect(await differences()).toEqual([]);
  });
});
