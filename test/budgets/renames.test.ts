import { describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

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
