import { describe, it } from "vitest";
import { freshDatabase } from "../../test/support/fresh-database.ts";
import { SENT_AT, seedReaders } from "../../test/support/own-state.ts";
import { clientOf, worker } from "./support/client.ts";

const LAST = SENT_AT.at(-1);

describe("the writes of messages", () => {
  it("mark, mute and block, and the next list shows it", async ({ expect }) => {
    await freshDatabase("2026-05-01 12:00:00");
    const { reader, writer, group: group_id } = await seedReaders();
    const { client } = clientOf(reader);
    const { messages } = client;
    const shown = async () => {
      const result = await messages();
      return result.status ? result.items[0] : result.errorCode;
    };

    const results = [
      await messages.markRead({ group_id, last_message_time: String(LAST) }),
      await messages.mute(group_id),
    ];
    const muted = await shown();
    results.push(await messages.unmute(group_id));
    const unmuted = await shown();
    const blocked = [await messages.block(writer), await shown(), await messages.unblock(writer), await shown()];

    expect(results.map((result) => result.status && result.items)).toMatchObject([
      { group_id, read_status: 1, notifications_disabled: 0 },
      { group_id, read_status: 1, notifications_disabled: 1 },
      { group_id, read_status: 1, notifications_disabled: 0 },
    ]);
    expect(muted).toMatchObject({ read_status: 1, notifications_disabled: 1 });
    expect(unmuted).toMatchObject({ notifications_disabled: 0 });
    expect(blocked).toMatchObject([
      { items: { customer_id: writer, is_blocked: true } },
      { last_message: "", group_name: "(1 blocked)" },
      { items: { customer_id: writer, is_blocked: false } },
      { last_message: "Hello" },
    ]);
  });

  it("are sent again if the answer is lost, and their bookmark goes with the next call", async ({ expect }) => {
    await freshDatabase("2026-05-01 12:00:00");
    const { reader, group } = await seedReaders();
    let lost = 0;
    const { client, sentHeaders } = clientOf(reader, async (input, init) => {
      const answer = await worker(input, init);
      if (init?.method === "PUT" && lost++ === 0) throw new TypeError("connection lost");
      return answer;
    });

    const result = await client.messages.mute(group);
    await client.messages();

    expect([result.status, lost]).toEqual([true, 2]);
    expect(sentHeaders.map((headers) => headers.has("X-D1-Bookmark"))).toEqual([false, false, true]);
  });

  it("resolve with the refusal of an id that must be escaped", async ({ expect }) => {
    const { client, sentAddresses } = clientOf("nobody");

    expect(await client.messages.mute("a/b?")).toMatchObject({ status: false, httpStatus: 404 });
    expect(await client.messages.block("a/b?")).toMatchObject({ status: false, httpStatus: 404 });
    expect(sentAddresses.map((address) => address.split("/customer")[1])).toEqual([
      "/messages/a%2Fb%3F/state",
      "/blocks/a%2Fb%3F",
    ]);
  });
});
