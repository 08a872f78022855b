import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { only, PATH, people } from "./support.ts";

describe("the last message of a group", () => {
  it("shows a message once the second of its stamp is over, and the one before until then", async ({ expect }) => {
    await setClock("2026-03-01 14:00:00");
    const [me, other] = await people(2);
    const group = seed.group([me, other]);
    await mustFeed([group, seed.message(group.id, other, { body: "first" })]);
    expect((await as(me).get(PATH)).body.errorCode).toBe("NO_ITEMS");

    await setClock("2026-03-01 14:00:05");
    await mustFeed([seed.message(group.id, other, { body: "second" })]);
    await mustFeed([seed.message(group.id, me, { body: "third" })]);
    expect(await only(me)).toMatchObject({
      last_message: "first",
      last_message_time: "2026-03-01 14:00:00",
      last_customer: other,
      read_status: 0,
    });

    await setClock("2026-03-01 14:00:06");
    expect(await only(me)).toMatchObject({
      last_message: "third",
      last_message_time: "2026-03-01 14:00:05",
      last_customer: me,
      read_status: 1,
    });
  });

  it("keeps a time of sending that is more than an hour old, and puts the stamp in place of any later one", async ({
    expect,
  }) => {
    const [me, other] = await people(2);
    const cases = [
      ["2026-03-01 14:59:59", "2026-03-01 14:59:59"],
      ["2026-03-01 16:00:00", "2026-03-01 17:00:00"],
      ["2026-03-01 17:59:59", "2026-03-01 18:00:00"],
      ["2027-01-01 00:00:00", "2026-03-01 19:00:00"],
      [undefined, "2026-03-01 20:00:00"],
    ];
    for (const [index, [sent_at, expected]] of cases.entries()) {
      await setClock(`2026-03-01 ${16 + index}:00:00`);
      const group = seed.group([me, other]);
      await mustFeed([group, seed.message(group.id, other, { sent_at })]);
      await setClock(`2026-03-01 ${16 + index}:00:01`);

      const { items } = (await as(me).get(PATH)).body;

      expect(items.find((item: { group_id: string }) => item.group_id === group.id).last_message_time).toBe(expected);
    }
  });

  it("lists history by its own time: it is last only if nothing is later", async ({ expect }) => {
    await setClock("2026-03-02 10:00:00");
    const [me, other] = await people(2);
    const group = seed.group([me, other]);
    const history = (body: string, sent_at: string) => seed.message(group.id, other, { body, sent_at });
    await mustFeed([group, history("noon", "2026-03-01 12:00:00"), history("morning", "2026-03-01 08:00:00")]);
    expect((await only(me)).last_message).toBe("noon");

    await mustFeed([seed.message(group.id, other, { body: "now" })]);
    await mustFeed([history("evening", "2026-03-01 20:00:00"), history("noon again", "2026-03-01 12:00:00")]);
    expect((await only(me)).last_message).toBe("evening");

    await setClock("2026-03-02 10:00:01");
    await mustFeed([history("night", "2026-03-02 01:00:00")]);
    expect((await only(me)).last_message).toBe("now");
  });
});
