import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../../support/api.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage, rows, value } from "../../support/state.ts";

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

  it("ends with the erasure of either, and so does a block", async ({ expect }) => {
    const [a, b, c] = await people("a", "b", "c");
    const all = [seed.friendship(a, b), seed.friendship(b, c), seed.friendship(a, c), seed.block(a, b)];
    await mustFeed([...all, seed.block(b, c), seed.block(c, a)]);

    await mustFeed([seed.deleted("customer", { id: b })]);

    expect(await value("SELECT count(*) FROM public_friendships WHERE low_id = ?1 OR high_id = ?1", b)).toBe(0);
    expect(await value("SELECT count(*) FROM public_blocks WHERE customer_id = ?1 OR blocked_id = ?1", b)).toBe(0);
    expect(await value("SELECT status FROM public_friendships WHERE low_id = ? AND high_id = ?", a, c)).toBe(1);
    expect(await value("SELECT count(*) FROM public_blocks WHERE customer_id = ? AND blocked_id = ?", c, a)).toBe(1);
  });

  it.for([
    [{ status: 2 }, "status"],
    [{ status: undefined }, "status"],
    [{ friend_id: "a" }, "friend_id"],
  ] as const)("is refused with %j", async ([fields, field], { expect }) => {
    const answer = await feed([{ ...(seed.friendship("a", "b") as object), ...fields }]);

    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });
});

describe("a block", () => {
  it("has a direction, is stored once, and is removed", async ({ expect }) => {
    const [a, b] = await people("a", "b");
    const gone = seed.deleted("block", { customer_id: a, blocked_id: b });

    await mustFeed([seed.block(a, b)]);

    expect((await feedUsage([seed.block(a, b)])).rowsWritten).toBe(0);
    expect((await mustFeed([seed.deleted("block", { customer_id: b, blocked_id: a })])).body.items.ignored).toBe(1);
    expect((await mustFeed([gone])).body.items).toEqual({ accepted: 1, ignored: 0 });
    expect((await feed([seed.block(a, a)])).body.messages).toEqual({
      "line 1.blocked_id": ["must be another customer"],
    });
  });
});
