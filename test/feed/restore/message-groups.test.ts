import { beforeEach, describe, it } from "vitest";
import { restore } from "../../support/api.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import { rows } from "../../support/state.ts";
import { mustRestore, NOW, talk } from "./support.ts";

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
});
