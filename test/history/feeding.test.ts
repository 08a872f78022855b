import { afterEach, beforeEach, describe, it } from "vitest";
import { type FeedLine, feed, mustFeed, restore } from "../support/api.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, snapshot, value } from "../support/state.ts";
import { beginNight, endNight, keepMonths, seal, shop } from "./support.ts";

// Rules of docs/contract/history.md, 4. May and later are kept.
const OLD = "2026-04-30T23:59:59Z";
const KEPT = "2026-05-01 00:00:00";
const TEXT = "is older than the history that is kept";

beforeEach(() => beginNight());
afterEach(endNight);

describe("an event of before the horizon", () => {
  it("is a bad line, on the field of its time; others are not", async ({ expect }) => {
    const { lines, entry, earning, play, message } = shop();
    await mustFeed(lines);
    const before = await snapshot();

    const refused = await feed([
      ...[entry("1.00", OLD), earning("1.00", OLD), play("1", OLD), message(OLD)],
      ...[entry("1.00", KEPT), earning("1.00", KEPT), play("1", KEPT), message(KEPT)],
    ]);

    expect(refused.status).toBe(422);
    expect(refused.body.messages).toEqual({
      "line 1.created_at": [TEXT],
      "line 2.earned_at": [TEXT],
      "line 3.played_at": [TEXT],
      "line 4.sent_at": [TEXT],
    });
    expect(await snapshot()).toEqual(before);
  });

  it("is none where only a field without a name holds such a time", async ({ expect }) => {
    const { lines } = shop();

    expect((await feed(lines.map((line) => ({ ...line, "": OLD })))).status).toBe(200);
  });

  it("is none where the line deletes a message: of that only the id counts", async ({ expect }) => {
    const { body } = await feed([{ ...shop().message(OLD), deleted: true }]);

    expect(body.items).toEqual({ accepted: 0, ignored: 1 });
  });

  it("is named with what else is wrong with its line, and with other lines", async ({ expect }) => {
    const { lines, entry } = shop();
    await mustFeed(lines);

    const refused = await feed([entry("much", OLD), { record: "nothing" }, entry("1.00", "yesterday")]);

    expect(Object.keys(refused.body.messages).sort()).toEqual([
      "line 1.amount",
      "line 1.created_at",
      "line 2.record",
      "line 3.created_at",
    ]);
  });

  it("is refused as well where it was stored, and counts no second time", async ({ expect }) => {
    const { lines, entry } = shop();
    const line = entry("1.00", OLD);
    keepMonths(undefined);
    await mustFeed([...lines, line]);
    keepMonths(1);

    expect((await feed([line])).status).toBe(422);
  });

  it("is a good line without history, and of a restore", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    const taken = await feed([...lines, entry("1.00", OLD)]);
    await freshDatabase("2026-06-10 07:00:00");
    keepMonths(1);
    const restored = await restore([...lines, entry("1.00", OLD)]);

    expect([taken.status, restored.status]).toEqual([200, 200]);
  });
});

describe("an event of before what has left", () => {
  it.for([
    ["turned off", undefined],
    ["with more months", 3],
  ] as const)("is a bad line still with history %s; of other kinds it is not", async ([, months], { expect }) => {
    const { lines, entry, earning, play } = shop();
    const line = entry("1.00", OLD);
    keepMonths(undefined);
    await mustFeed([...lines, line]);
    keepMonths(1);
    await seal();
    keepMonths(months);
    const before = await snapshot();

    const refused = await feed([play("1", OLD), entry("1.00", KEPT), line, entry("2.00", OLD), line]);

    expect(refused.status).toBe(422);
    expect(refused.body.messages).toEqual({
      "line 3.created_at": [TEXT],
      "line 4.created_at": [TEXT],
      "line 5.created_at": [TEXT],
    });
    expect(await snapshot()).toEqual(before);
    expect((await feed([play("1", OLD), earning("1.00", OLD), entry("1.00", KEPT)])).status).toBe(200);
  });

  it("is refused before accounts are looked at, in one round trip, and names the first hundred lines", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("1.00", OLD)]);
    keepMonths(1);
    await seal();
    keepMonths(undefined);

    const foreign = await feed([entry("1.00", OLD)], ["another"]);
    const many = await feed(Array.from({ length: 150 }, () => entry("1.00", OLD)));
    const { roundTrips } = await feedUsage([entry("1.00", KEPT)]);

    expect([foreign.status, foreign.body.messages]).toEqual([422, { "line 1.created_at": [TEXT] }]);
    expect(Object.keys(many.body.messages)).toEqual(
      Array.from({ length: 100 }, (_, index) => `line ${index + 1}.created_at`),
    );
    expect(roundTrips).toBe(1);
  });
});

describe("other lines", () => {
  it("may have any time: only events leave", async ({ expect }) => {
    const { lines } = shop();
    const [account, store] = lines;
    const member = seed.customer();
    const old: FeedLine[] = [seed.membership(store?.id, member.id, { joined_at: OLD })];

    expect((await feed([account ?? "", store ?? "", member, ...old])).status).toBe(200);
  });

  it("of events without a time are stored with now", async ({ expect }) => {
    const { lines, customerId } = shop();
    const entry = seed.entry(customerId, lines[1]?.id, "1.00");

    await mustFeed([...lines, entry]);

    expect(await value("SELECT created_at FROM balance_entries WHERE id = ?", entry.id)).toBe("2026-06-10 07:00:00");
  });
});
