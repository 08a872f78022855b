import { describe, it } from "vitest";
import { addChange, nextFrameAt, type Pending, takeFrame } from "../../src/inbox/inbox-state.ts";
import type { ChangeKind } from "../../src/inbox/protocol.ts";

/** Changes of an inbox, in milliseconds: when it is notified, and from when on they are shown, if later. */
type Changes = readonly { at: number; kinds: readonly ChangeKind[]; shownAt?: number }[];

/** When each frame is sent and what it lists, and how many entries the inbox had to store at most. */
function simulate(changes: Changes) {
  let pending: Pending = [];
  let stored = 0;
  const frames: [at: number, kinds: ChangeKind[]][] = [];
  const sendUntil = (end: number) => {
    for (let due = nextFrameAt(pending); due !== null && due <= end; due = nextFrameAt(pending)) {
      const { kinds, left } = takeFrame(pending, due);
      frames.push([due, kinds]);
      pending = left;
    }
  };
  for (const { at, kinds, shownAt = at } of changes) {
    sendUntil(at - 1);
    for (const kind of kinds) pending = addChange(pending, kind, shownAt);
    stored = Math.max(stored, pending.length);
  }
  sendUntil(Infinity);
  return { frames, stored };
}

const every = (milliseconds: number, count: number) =>
  Array.from({ length: count }, (_, index) => index * milliseconds);

describe("frames", () => {
  it("list what changes within 250 ms, as messages, coupons, balance", ({ expect }) => {
    const { frames } = simulate([
      { at: 0, kinds: ["balance"] },
      { at: 100, kinds: ["coupons", "messages"] },
      { at: 200, kinds: ["balance"] },
    ]);

    expect(frames).toEqual([[250, ["messages", "coupons", "balance"]]]);
  });

  it("are sent 250 ms after the first change, not after the last", ({ expect }) => {
    const { frames } = simulate(every(50, 30).map((at) => ({ at, kinds: ["balance"] })));

    expect(frames.map(([at]) => at)).toEqual([250, 550, 850, 1_150, 1_450]);
  });

  it("of a balance are not held up until a message is shown", ({ expect }) => {
    const { frames } = simulate([
      { at: 0, kinds: ["messages"], shownAt: 900 },
      { at: 0, kinds: ["balance"] },
    ]);

    expect(frames).toEqual([
      [250, ["balance"]],
      [1_150, ["messages"]],
    ]);
  });

  it("come each second while a message comes every 100 ms", ({ expect }) => {
    const nextSecond = (at: number) => 1_000 * (Math.floor(at / 1_000) + 1);
    const { frames } = simulate(
      every(100, 35).map((at) => ({ at, kinds: ["messages"], shownAt: nextSecond(at) + 100 })),
    );

    expect(frames.map(([at]) => at)).toEqual([1_350, 2_350, 3_350, 4_350]);
  });

  it("need one entry for each step of 50 ms, however many changes come", ({ expect }) => {
    const { stored } = simulate(every(1, 1_000).map((at) => ({ at: 0, kinds: ["messages"], shownAt: at })));

    expect(stored).toBe(21);
  });
});
