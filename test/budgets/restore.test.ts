import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";

const GROUPS = 300;
const [one, other] = [seed.customer(), seed.customer()];
const groups = (count: number) => Array.from({ length: count }, () => seed.group([one.id, other.id]));

beforeAll(async () => void (await mustFeed([one, other])));

describe("a message group of two", () => {
  it("is fed without reading the members of other groups", async ({ expect }) => {
    const few = await feedUsage(groups(1));
    await mustFeed(groups(GROUPS));

    const many = await feedUsage(groups(1));

    expect(many.rowsRead).toBeLessThanOrEqual(few.rowsRead + 20);
  });

  it("is restored with at most 70 rows read, however many groups are stored", async ({ expect }) => {
    // As if the program had been restored.
    await rows("UPDATE program_state SET restorable = 1");

    for (let pages = 0; pages < 3; pages += 1) {
      const { rowsRead } = await feedUsage(groups(GROUPS), { accounts: "*", restores: true });
      expect(rowsRead / GROUPS).toBeLessThanOrEqual(70);
    }
  });
});
