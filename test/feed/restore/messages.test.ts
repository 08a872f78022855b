import { beforeEach, describe, it } from "vitest";
import { mustFeed, restore } from "../../support/api.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { groupsOf, LONG_AGO, messageClock, messagesStored, mustRestore, NOW, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a restored message", () => {
  it("keeps its time, and does not move the clock of messages", async ({ expect }) => {
    const { customers, a, group } = talk();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m", sent_at: "2026-06-01 09:59:00" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 09:59:00" }]);
    expect(await messageClock()).toEqual([{ stamp: LONG_AGO, clock_said: LONG_AGO }]);
    expect(await groupsOf(a)).toMatchObject([{ last_message_time: "2026-06-01 09:59:00" }]);
  });

  it("without a time is sent now", async ({ expect }) => {
    const { customers, a, group } = talk();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: NOW }]);
    expect(await messageClock()).toEqual([{ stamp: NOW, clock_said: NOW }]);
  });

  it("is of any stored customer, and of nobody else", async ({ expect }) => {
    const { customers, stranger, group } = talk();
    const message = (customerId: string) => seed.message(group.id, customerId, { sent_at: "2026-05-01 10:00:00" });
    await mustRestore([...customers, group, message(stranger)]);

    const refused = await restore([message("nobody")]);

    expect(refused.body.messages).toEqual({ "line 1.customer_id": ["names a record that is not stored"] });
  });

  // Which message is the last of its second must not depend on how the lines are cut into requests.
  it.for([1, 2, 3])("is the last of its second if it was, in requests of %i lines", async (size, { expect }) => {
    const { customers, a, group } = talk();
    const [early, late] = ["2026-05-01 10:00:00", "2026-05-01 10:00:01"];
    const message = (id: string, sent_at: string, last?: false) =>
      seed.message(group.id, a, { id, sent_at, body: id, ...(last === false && { last }) });
    const lines = [
      message("m1", late, false),
      message("m2", early, false),
      message("m3", late),
      message("m4", early),
      message("m5", late, false),
      message("m6", early, false),
    ];
    await mustRestore([...customers, group]);

    for (let from = 0; from < lines.length; from += size) await mustRestore(lines.slice(from, from + size));

    expect(await rows("SELECT newest_id, newest_at, earlier_id, earlier_at FROM message_groups")).toEqual([
      { newest_id: "m3", newest_at: late, earlier_id: "m4", earlier_at: early },
    ]);
  });

  it("takes the place of one that is stored, unless it says that it is not the last", async ({ expect }) => {
    const { customers, a, group } = talk();
    const message = (id: string) => seed.message(group.id, a, { id, sent_at: "2026-05-01 10:00:00" });

    await mustRestore([...customers, group, message("z")]);
    await mustRestore([message("b"), message("a")]);

    expect(await rows("SELECT newest_id FROM message_groups")).toEqual([{ newest_id: "a" }]);
  });

  it.for([
    [{ removals: -1 }, "removals"],
    [{ removals: "1" }, "removals"],
    [{ last: 1 }, "last"],
    [{ sent_at: "yesterday" }, "sent_at"],
  ] as const)("is refused with %j", async ([fields, field], { expect }) => {
    const answer = await restore([seed.message("g", "a", fields)]);

    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });
});

describe("a restored message of a removed group", () => {
  const sent_at = "2026-05-01 10:00:00";

  it("is not shown in the group that came after, and its id stays used", async ({ expect }) => {
    const { customers, a, b, group } = talk();
    const old = seed.message(group.id, b, { id: "old", sent_at, removals: 1 });

    await mustRestore([...customers, { ...group, removals: 3 }, old]);
    await mustRestore([old, seed.message(group.id, a, { id: "oldest", sent_at })]);
    const again = await mustFeed([seed.message(group.id, a, { id: "old" })]);

    expect(await groupsOf(a)).toEqual([]);
    expect(again.body.items).toEqual({ accepted: 0, ignored: 1 });
    expect(
      await rows(`
        SELECT removals, removed, newest_id, messages.id FROM message_groups
        LEFT JOIN messages ON messages.group_key = message_groups.key ORDER BY removals`),
    ).toEqual([
      { removals: 0, removed: 1, newest_id: "oldest", id: "oldest" },
      { removals: 1, removed: 1, newest_id: "old", id: "old" },
      { removals: 3, removed: 0, newest_id: null, id: null },
    ]);
  });

  it("needs a later group of the id", async ({ expect }) => {
    const { customers, a, group } = talk();

    const later = await restore([...customers, group, seed.message(group.id, a, { removals: 1 })]);
    const unknown = await restore([...customers, seed.message("nowhere", a)]);

    expect(later.body.messages).toEqual({ "line 5.group_id": ["names a record that is not stored"] });
    expect(unknown.body.messages).toEqual({ "line 4.group_id": ["names a record that is not stored"] });
  });

  it("is restored after the group was deleted too", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, { ...group, removals: 1 }]);
    await mustRestore([seed.deleted("message_group", { id: group.id })]);

    await mustRestore([
      seed.message(group.id, a, { id: "m0", sent_at }),
      seed.message(group.id, a, { id: "m1", sent_at, removals: 1 }),
    ]);

    expect(await rows("SELECT removals, removed, newest_id FROM message_groups ORDER BY removals")).toEqual([
      { removals: 0, removed: 1, newest_id: "m0" },
      { removals: 1, removed: 1, newest_id: "m1" },
    ]);
  });
});
