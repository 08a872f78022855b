import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows, value } from "../support/state.ts";

const GROUPS = 300;
const [one, other] = [seed.customer(), seed.customer()];
const groups = (count: number) => Array.from({ length: count }, () => seed.group([one.id, other.id]));

beforeAll(async () => void (await mustFeed([one, other])));

const RECORDS = 200;

/** Eight hexadecimal digits that do not sort like their numbers, as in UUIDs. */
const scattered = (number: number) => ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");

describe("an account that is renamed", () => {
  // FTS5 writes a segment whenever the next key is lower than the last.
  it.for([
    ["store_words", (account: string, number: number) => seed.store(account, { latitude: (number * 61.8) % 90 })],
    ["campaign_words", (account: string, number: number) => seed.campaign(account, { id: scattered(number) })],
  ] as const)("has its %s written at once, in one segment", async ([index, make], { expect }) => {
    const account = seed.account();
    await mustFeed([account, ...Array.from({ length: RECORDS }, (_, number) => make(account.id, number))]);

    await mustFeed([{ ...account, company: "Red Mug" }]);

    expect(await value(`SELECT count(DISTINCT segid) FROM ${index}_idx`)).toBe(1);
  });
});

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
