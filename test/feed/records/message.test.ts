import { describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { value } from "../../support/state.ts";

describe("a line that deletes a message", () => {
  it("empties the body of a message whose group was removed", async ({ expect }) => {
    const [ada, bob] = [seed.customer(), seed.customer()];
    const group = seed.group([ada.id, bob.id]);
    const message = seed.message(group.id, ada.id);
    await mustFeed([ada, bob, group, message]);
    await mustFeed([seed.deleted("message_group", { id: group.id })]);

    const answer = await mustFeed([seed.deleted("message", { id: message.id })]);

    expect(answer.body.items).toEqual({ accepted: 1, ignored: 0 });
    expect(await value("SELECT body FROM messages WHERE id = ?", message.id)).toBe("");
  });
});
