import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows, value } from "../support/state.ts";

const GROUPS = 300;
const [firstMember, secondMember] = [seed.customer(), seed.customer()];
const groups = (count: number) => Array.from({ length: count }, () => seed.group([firstMember.id, secondMember.id]));

beforeAll(async () => void (await mustFeed([firstMember, secondMember])));

const RECORDS = 200;

/** Makes an id of eight hexadecimal digits. Like those of UUIDs, their order is not the order of the numbers. */
const scatteredId = (number: number) => ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");

describe("an account that is renamed", () => {
  // FTS5 begins a new segment whenever a key is lower than the key before it, so the keys must come in their order.
  it.for([
    ["store_words", (account: string, number: number) => seed.store(account, { latitude: (number * 61.8) % 90 })],
    ["campaign_words", (account: string, number: number) => seed.campaign(account, { id: scatteredId(number) })],
  ] as const)("has its entries in the index written in one segment: %s", async ([index, make], { expect }) => {
    const account = seed.account();
    await mustFeed([account, ...Array.from({ length: RECORDS }, (_, number) => make(account.id, number))]);

    await mustFeed([{ ...account, company: "Red Mug" }]);

    expect(await value(`SELECT count(DISTINCT segid) FROM ${index}_idx`)).toBe(1);
  });
});

describe("a message group of two", () => {
  it("is fed without reading the members of other groups", async ({ expect }) => {
    const usageBefore = await feedUsage(groups(1));
    await mustFeed(groups(GROUPS));

    const usageAfter = await feedUsage(groups(1));

    expect(usageAfter.rowsRead).toBeLessThanOrEqual(usageBefore.rowsRead + 20);
  });

  it("is restored with at most 70 rows read, however many groups are stored", async ({ expect }) => {
    // The feed has taken other requests, and would refuse a restore.
    await rows("UPDATE program_state SET restorable = 1");

    for (let pages = 0; pages < 3; pages += 1) {
      const { rowsRead } = await feedUsage(groups(GROUPS), { subject: "test", accounts: "*", restores: true });
      expect(rowsRead / GROUPS).toBeLessThanOrEqual(70);
    }
  });
});
