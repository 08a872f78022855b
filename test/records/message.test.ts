import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { setClock, stopClock } from "../support/clock.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

describe("after the clock of the database was set back", () => {
  const [TIME_BEFORE, TIME_AFTER] = ["2026-06-01 10:00:05", "2026-06-01 10:00:00"];

  /** A group with a message, which is not shown yet. */
  async function seedTalk() {
    const [ada, bob] = [seed.customer(), seed.customer()];
    const group = seed.group([ada.id, bob.id]);
    await freshDatabase(TIME_BEFORE);
    await mustFeed([ada, bob, group, seed.message(group.id, ada.id)]);
    return { reader: bob.id, nextMessage: seed.message(group.id, ada.id) };
  }

  it("the next message is a second later than the last", async ({ expect }) => {
    const { nextMessage } = await seedTalk();

    await stopClock(TIME_AFTER);
    await mustFeed([nextMessage]);

    expect(await value("SELECT sent_at FROM messages WHERE id = ?", nextMessage.id)).toBe("2026-06-01 10:00:06");
  });

  it("the messages that were stored before are shown", async ({ expect }) => {
    const { reader } = await seedTalk();

    await setClock(TIME_AFTER);

    const { body } = await as(reader).get("/api/v1/customer/messages");
    expect(body.items).toMatchObject([{ last_message_time: TIME_BEFORE }]);
  });
});
