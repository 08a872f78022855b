import { afterEach, describe, it, vi } from "vitest";
import { readBody } from "../../src/http/body.ts";
import { type FeedLine, feed, mustFeed, ndjson, send } from "../support/api.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { snapshot, value } from "../support/state.ts";
import { feedToken } from "../support/tokens.ts";

afterEach(() => vi.restoreAllMocks());

/** `count` balance entries and `count` plays of a stored program. */
function events({ customer, store, campaign, contest, recordOf }: Program, count: number): FeedLine[] {
  return Array.from({ length: count }, () => [
    seed.entry(customer.id, store.id, "1.10", { campaign_id: campaign.id }),
    seed.play(contest.id, store.id, recordOf.employee?.id, { runs: "0.5", hits: 1 }),
  ]).flat();
}

const balanceOf = (id: unknown) => value("SELECT balance FROM customers WHERE id = ?", id);

describe("a feed request", () => {
  it("that breaks off after any byte stores nothing", async ({ expect }) => {
    const stored = program("cut");
    await mustFeed(stored.lines);
    const bytes = new TextEncoder().encode(ndjson(events(stored, 2)));
    const before = await snapshot();
    const token = await feedToken("*");

    for (let length = 1; length < bytes.length; length += 1) {
      const headers = { Authorization: `Bearer ${token}`, "Content-Length": String(bytes.length) };
      const cutBody = new Blob([bytes.slice(0, length)]).stream();
      const answer = await send("/api/v1/feed", { method: "POST", headers, body: cutBody });
      expect([length, answer.status, answer.body.messages]).toEqual([length, 400, { body: ["must arrive whole"] }]);
    }

    expect(await snapshot()).toBe(before);
    await feed(bytes);
    expect(await balanceOf(stored.customer.id)).toBe(500 + 220);
  });

  it.for([{}, { "Content-Length": "50" }])(
    "whose connection breaks is refused, with the headers %o",
    async (headers, { expect }) => {
      const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });

      const reading = readBody(new Response(broken, { headers }), { bytes: 100, name: "" });

      await expect(reading).rejects.toMatchObject({ status: 400, body: { messages: { body: ["must arrive whole"] } } });
    },
  );
});
