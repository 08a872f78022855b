import { beforeEach, describe, it } from "vitest";
import { mustFeed, restore } from "../../support/api.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { groupsOf, mustRestore, NOW, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a restored message group", () => {
  it("may have nobody in it, or only others than its initial customer", async ({ expect }) => {
    const { customers, b, group } = talk();

    await mustRestore([...customers, { ...group, member_ids: [] }]);
    const nobody = await rows("SELECT customer_key FROM message_group_members");
    await mustRestore([{ ...group, member_ids: [b] }]);
    const one = await rows("SELECT customer_id FROM public_message_group_members");
    await mustRestore([{ ...group, member_ids: [] }]);

    expect([nobody, one]).toEqual([[], [{ customer_id: b }]]);
    expect(await rows("SELECT customer_key FROM message_group_members")).toEqual([]);
  });

  it("is refused with a customer twice, more than a hundred, and one who is not stored", async ({ expect }) => {
    const { customers, a, group } = talk();
    const crowd = Array.from({ length: 101 }, (_, at) => `x${at}`);

    const twice = await restore([{ ...group, member_ids: [a, a] }]);
    const many = await restore([{ ...group, member_ids: crowd }]);
    const unknown = await restore([...customers, { ...group, member_ids: [a, "nobody"] }]);

    expect(twice.body.messages).toEqual({ "line 1.member_ids": ["must not name a customer twice"] });
    expect(many.body.messages).toEqual({ "line 1.member_ids": ["must be 0 to 100 customers"] });
    expect(unknown.body.messages).toEqual({ "line 4.member_ids": ["names a record that is not stored"] });
  });

  it("counts on from its removals", async ({ expect }) => {
    const { customers, group } = talk();
    await mustRestore([...customers, { ...group, removals: 4 }]);

    await mustFeed([seed.deleted("message_group", { id: group.id })]);
    await mustFeed([group]);

    expect(await rows("SELECT removals FROM message_groups WHERE removed = 0")).toEqual([{ removals: 5 }]);
  });

  it("ends the one before it, whose messages are no longer shown", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group, seed.message(group.id, a, { sent_at: "2026-05-01 10:00:00" })]);

    await mustRestore([{ ...group, removals: 2 }]);

    expect(await groupsOf(a)).toEqual([]);
    expect(await rows("SELECT removals, removed FROM message_groups ORDER BY key")).toEqual([
      { removals: 0, removed: 1 },
      { removals: 2, removed: 0 },
    ]);
  });

  it("comes back with its messages, when it was only deleted at the end of an export", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group, seed.message(group.id, a, { sent_at: "2026-05-01 10:00:00", body: "Hi" })]);
    await mustRestore([seed.deleted("message_group", { id: group.id })]);

    await mustRestore([group]);

    expect(await groupsOf(a)).toMatchObject([{ last_message: "Hi" }]);
    expect(await rows("SELECT removals, removed FROM message_groups")).toEqual([{ removals: 0, removed: 0 }]);
  });

  it("is refused with fewer removals than are stored", async ({ expect }) => {
    const { customers, group } = talk();
    await mustRestore([...customers, { ...group, removals: 2 }]);

    const refused = await restore([{ ...group, removals: 1 }]);

    expect(refused.body.messages).toEqual({ "line 1.removals": ["must not be less than before"] });
  });

  it("can be removed after it came back from before a removed one, and a message came for it", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group]);
    await mustRestore([{ ...group, removals: 5 }]);
    await mustRestore([seed.deleted("message_group", { id: group.id })]);
    await mustRestore([group]);

    await mustRestore([seed.message(group.id, a, { sent_at: "2026-05-01 10:00:00", body: "Hi" })]);
    const shown = await groupsOf(a);
    const later = await restore([{ ...group, removals: 7 }]);

    expect(shown).toMatchObject([{ last_message: "Hi" }]);
    expect(later.status).toBe(200);
    expect(await rows("SELECT removals, removed FROM message_groups ORDER BY removals")).toEqual([
      { removals: 0, removed: 1 },
      { removals: 5, removed: 1 },
      { removals: 7, removed: 0 },
    ]);
  });

  it("is refused with more removals than any group has, so that they can be counted on", async ({ expect }) => {
    const { customers, a, group } = talk();
    const line = { ...group, member_ids: [], removals: 999_999_999 };

    const refused = await restore([...customers, line, seed.message(group.id, a, { removals: 1_000_001 })]);

    const text = ["must be at most 1000000"];
    expect(refused.status).toBe(422);
    expect(refused.body.messages).toEqual({ "line 4.removals": text, "line 5.removals": text });
  });
});
