import { beforeAll, describe, it } from "vitest";
import { KINDS } from "../../../src/feed/records/index.ts";
import type { Kind } from "../../../src/feed/records/kind.ts";
import { mustFeed } from "../../support/api.ts";
import { exported } from "../../support/exporting.ts";
import * as seed from "../../support/seed.ts";
import { IDS } from "../restore/filled-in.ts";
import { FULL_RECORDS } from "../restore/full-program.ts";

type Line = Record<string, unknown>;

const [ada, bob] = IDS.customers;
const FED: readonly Line[] = [
  ...FULL_RECORDS,
  seed.message(IDS.groups[0], ada, { id: "m1", body: 'Line\nand "☕"', sent_at: "2024-02-29 12:34:56" }),
  seed.message(IDS.groups[0], bob, { id: "m2", body: "Later", sent_at: "2024-03-01 00:00:00" }),
];

beforeAll(() => mustFeed(FED));

/** What a line says by its fields: the stores of a campaign have no order, nor has a friendship's pair. */
function readingOf({ fields, keyFields }: Kind, { record: _, ...line }: Line) {
  const { store_ids, ...all }: Line = fields.parse(line);
  const rest = Object.fromEntries(Object.entries(all).filter(([field]) => !keyFields.includes(field)));
  return { ...rest, key: keyFields.map((field) => all[field]).sort(), stores: [store_ids].flat().sort() };
}

describe("a line of an export", () => {
  it.for(KINDS)("has every field as it was fed: $record", async (kind, { expect }) => {
    const fed = FED.filter(({ record }) => record === kind.record).map((line) => readingOf(kind, line));

    const lines = await exported(kind.record);

    for (const line of lines) expect(Object.keys(line)).toEqual(["record", ...Object.keys(kind.fields.shape)]);
    const given = lines.map((line) => readingOf(kind, line));
    expect(given).toHaveLength(fed.length);
    expect(given).toEqual(expect.arrayContaining(fed));
  });

  it("has the defaults of what was left out", async ({ expect }) => {
    await mustFeed([
      { record: "account", id: "102", company: "Plain" },
      { record: "campaign", id: "k2", account_id: "102", name: "All", campaign_start_date: "2024-01-01" },
      {
        record: "campaign",
        id: "k3",
        account_id: "102",
        name: "None",
        campaign_start_date: "2024-01-01",
        store_ids: [],
      },
    ]);

    const lines = await exported("account", "campaign");

    const byId = (id: string) => lines.find((one) => one.id === id);
    expect(byId("102")).toMatchObject({ parent_id: null, loyalty_options: null, protected: 0, slug: "" });
    expect(byId("k2")).toMatchObject({ store_ids: "all", status: 1, campaign_end_date: null });
    expect(byId("k3")?.store_ids).toEqual([]);
  });
});
