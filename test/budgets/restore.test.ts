import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";

/** A group of two and what an export says of it cost so many rows, however many groups are stored. */
const ROWS_A_GROUP = 70;
const GROUPS = 300;

describe("what a message group costs", () => {
  it("reads the members of no other group", async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];
    await mustFeed([one, other]);
    const rowsRead = async () => (await feedUsage([seed.group([one.id, other.id])])).rowsRead;

    const few = await rowsRead();
    await mustFeed(Array.from({ length: GROUPS }, () => seed.group([one.id, other.id])));

    expect(await rowsRead()).toBeLessThanOrEqual(few + 20);
  });
});

describe("what a restored message group costs", () => {
  it(`is at most ${ROWS_A_GROUP} rows, however many are stored`, async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];
    await mustFeed([one, other]);
    // As if the program had been restored.
    await rows("UPDATE program_state SET restorable = 1");
    const page = () => Array.from({ length: GROUPS }, () => seed.group([one.id, other.id]));

    const read: number[] = [];
    for (let pages = 0; pages < 3; pages += 1) {
      const { rowsRead } = await feedUsage(page(), { accounts: "*", restores: true });
      read.push(rowsRead / GROUPS);
    }

    expect(Math.max(...read)).toBeLessThanOrEqual(ROWS_A_GROUP);
  });
});
