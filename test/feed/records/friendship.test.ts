import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage, rows } from "../../support/state.ts";

beforeAll(createPublicViews);

async function people(...ids: string[]) {
  const customers = ids.map((id) => seed.customer({ id: `${id}-${seed.freshId()}` }));
  await mustFeed(customers);
  return customers.map(({ id }) => id) as [string, string, string];
}

describe("a friendship", () => {
  it("is one pair, whichever of the two a line names first", async ({ expect }) => {
    // The second id comes first by UTF-16 unit, the first by code point.
    const [low, high] = await people("\uFFFD", "\u{1F600}");

    await mustFeed([seed.friendship(high, low, 0)]);
    await mustFeed([seed.friendship(low, high, 1)]);

    expect(
      await rows("SELECT low_id, high_id, status FROM public_friendships WHERE low_id IN (?, ?)", low, high),
    ).toEqual([{ low_id: low, high_id: high, status: 1 }]);
    expect((await feedUsage([seed.friendship(high, low, 1)])).rowsWritten).toBe(0);
    const gone = seed.deleted("friendship", { customer_id: high, friend_id: low });
    expect((await mustFeed([gone, gone])).body.items).toEqual({ accepted: 2, ignored: 0 });
    expect((await mustFeed([gone])).body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});
