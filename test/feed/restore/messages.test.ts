import { beforeEach, describe, it } from "vitest";
import { restore } from "../../support/api.ts";
import { showStoredMessages } from "../../support/clock.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { groupsOf, LONG_AGO, messagesStored, mustRestore, NOW, programState, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a restored message", () => {
  it("keeps its time, and does not move the clock of messages", async ({ expect }) => {
    const { customers, a, group } = talk();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m", sent_at: "2026-06-01 09:59:00" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 09:59:00" }]);
    expect(await programState()).toEqual([{ stamp: LONG_AGO, clock_said: LONG_AGO }]);
    await showStoredMessages();
    expect(await groupsOf(a)).toMatchObject([{ last_message_time: "2026-06-01 09:59:00" }]);
  });

  it("may be of any number of groups, whose members do not count as they do in a feed", async ({ expect }) => {
    const customers = Array.from({ length: 100 }, () => seed.customer());
    const ids = customers.map(({ id }) => id);
    const groups = Array.from({ length: 201 }, () => seed.group(ids));
    await mustRestore([...customers, ...groups.slice(0, 150)]);
    await mustRestore(groups.slice(150));

    const answer = await restore(groups.map(({ id }) => seed.message(id, ids[0])));

    expect(answer.body).toEqual({ status: true, items: { accepted: 201, ignored: 0 } });
  });

  it("without a time is sent now", async ({ expect }) => {
    const { customers, a, group } = talk();

    await mustRestore([...customers, group, seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: NOW }]);
    expect(await programState()).toEqual([{ stamp: NOW, clock_said: NOW }]);
  });

  it("is of any stored customer, and of nobody else", async ({ expect }) => {
    const { customers, stranger, group } = talk();
    const message = (customerId: string) => seed.message(group.id, customerId, { sent_at: "2026-05-01 10:00:00" });
    await mustRestore([...customers, group, message(stranger)]);

    const refused = await restore([message("nobody")]);

    expect(refused.body.messages).toEqual({ "line 1.customer_id": ["names a record that is not stored"] });
  });

  it.for([1, 2, 4])("is the last of its second if it comes last, in requests of %i lines", async (size, { expect }) => {
    const { customers, a, group } = talk();
    const [early, late] = ["2026-05-01 10:00:00", "2026-05-01 10:00:01"];
    const message = (id: string, sent_at: string) => seed.message(group.id, a, { id, sent_at, body: id });
    const lines = [message("m3", late), message("m4", early), message("m1", early), message("m2", late)];
    await mustRestore([...customers, group]);

    for (let from = 0; from < lines.length; from += size) await mustRestore(lines.slice(from, from + size));

    expect(await rows("SELECT newest_id, newest_at, earlier_id, earlier_at FROM message_groups")).toEqual([
      { newest_id: "m2", newest_at: late, earlier_id: "m1", earlier_at: early },
    ]);
  });

  it("is refused at a time that is none", async ({ expect }) => {
    const answer = await restore([seed.message("g", "a", { sent_at: "yesterday" })]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.sent_at"]);
  });

  it("is refused at a time more than a minute in the future: it would hide later messages", async ({ expect }) => {
    const { customers, a, group } = talk();
    const at = (sent_at: string) => [...customers, group, seed.message(group.id, a, { sent_at })];

    const refused = await restore(at("2026-06-01 10:01:01"));

    const text = ["must not be more than a minute in the future"];
    expect(refused.body.messages).toEqual({ "line 5.sent_at": text });
    await mustRestore(at("2026-06-01 10:01:00"));
  });

  it("is of a stored group", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group]);
    await mustRestore([seed.deleted("message_group", { id: group.id })]);

    const refused = await restore([seed.message(group.id, a), seed.message("nowhere", a)]);

    const text = ["names a record that is not stored"];
    expect(refused.body.messages).toEqual({ "line 1.group_id": text, "line 2.group_id": text });
  });
});
