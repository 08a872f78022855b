import { beforeEach, describe, it } from "vitest";
import { horizonOf } from "../../src/feed/horizon.ts";
import { feed, mustFeed, restore } from "../support/api.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, snapshot } from "../support/state.ts";
import { FIRST_KEPT_SECOND, feedOld, keepMonths, seal, setUpHistory, shop } from "./support.ts";

// docs/contract/history.md, 1 and 4. It is June, and events from before May are too old.
const OLD = "2026-04-30T23:59:59Z";
const TEXT = "is older than the history that is kept";

beforeEach(setUpHistory);

const onLines = (numbers: readonly number[], field: string) =>
  Object.fromEntries(numbers.map((number) => [`line ${number}.${field}`, [TEXT]]));

describe("an event older than the horizon", () => {
  // The simulation checks that a refusal names the time of each old event, and of no other.
  it("is a bad line beside other errors of the line", async ({ expect }) => {
    const { lines, entry } = shop();
    await mustFeed(lines);

    const refused = await feed([entry("much", OLD), { record: "nothing" }, entry("1.00", "yesterday")]);

    const fields = ["line 1.amount", "line 1.created_at", "line 2.record", "line 3.created_at"];
    expect(Object.keys(refused.body.messages).sort()).toEqual(fields);
  });

  it("is refused even if it is stored already, and taken by a restore and without history", async ({ expect }) => {
    const { lines, entry } = shop();
    const line = entry("1.00", OLD);
    await feedOld(...lines, line);

    const secondAnswer = await feed([line]);
    await freshDatabase("2026-06-10 07:00:00");
    const restoreAnswer = await restore([...lines, line]);

    expect([secondAnswer.status, restoreAnswer.status]).toEqual([422, 200]);
  });

  it("is no line of another kind, no delete, and no line whose old time is in an unknown field", async ({ expect }) => {
    const { lines, message } = shop();
    const member = seed.membership(lines[1]?.id, lines[3]?.id, { joined_at: OLD });

    const answer = await feed([
      ...lines.map((line) => ({ ...line, "": OLD })),
      member,
      { ...message(OLD), deleted: true },
    ]);

    expect(answer.body.items).toEqual({ accepted: lines.length + 1, ignored: 1 });
  });
});

describe("an event older than the newest event that has left", () => {
  it.for([
    ["turned off", undefined],
    ["with more months", 3],
  ] as const)(
    "is still a bad line after history is %s, and an old event of another kind is taken",
    async ([, months], { expect }) => {
      const { lines, entry, earning, play } = shop();
      const line = entry("1.00", OLD);
      await feedOld(...lines, line);
      await seal();
      keepMonths(months);
      const snapshotBefore = await snapshot();

      const refused = await feed([play("1", OLD), entry("1.00", FIRST_KEPT_SECOND), line, entry("2.00", OLD), line]);

      expect([refused.status, refused.body.messages]).toEqual([422, onLines([3, 4, 5], "created_at")]);
      expect(await snapshot()).toEqual(snapshotBefore);
      expect((await feed([play("1", OLD), earning("1.00", OLD), entry("1.00", FIRST_KEPT_SECOND)])).status).toBe(200);
    },
  );

  it("is refused before accounts are checked, in one round trip, and the first hundred lines are named", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("1.00", OLD));
    await seal();
    keepMonths(undefined);

    const foreignAnswer = await feed([entry("1.00", OLD)], ["another"]);
    const longAnswer = await feed(Array.from({ length: 150 }, () => entry("1.00", OLD)));
    const { roundTrips } = await feedUsage([entry("1.00", FIRST_KEPT_SECOND)]);

    expect([foreignAnswer.status, foreignAnswer.body.messages]).toEqual([422, onLines([1], "created_at")]);
    expect(Object.keys(longAnswer.body.messages)).toEqual(
      Array.from({ length: 100 }, (_, index) => `line ${index + 1}.created_at`),
    );
    expect(roundTrips).toBe(1);
  });
});

describe("the horizon", () => {
  it.for([
    [1, "2026-06-10T07:00:00Z", "2026-05-01 00:00:00"],
    [1, "2026-06-30T23:59:59.999Z", "2026-05-01 00:00:00"],
    [1, "2026-07-01T00:00:00Z", "2026-06-01 00:00:00"],
    [13, "2026-01-31T12:00:00Z", "2024-12-01 00:00:00"],
    [120, "2026-03-31T12:00:00Z", "2016-03-01 00:00:00"],
  ] as const)("of %i months at %s is %s", ([months, now, horizon], { expect }) => {
    expect(horizonOf({ months }, new Date(now))).toBe(horizon);
  });
});
