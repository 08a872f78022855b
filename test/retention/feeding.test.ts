import { beforeEach, describe, it } from "vitest";
import { horizonOf, monthsOf } from "../../src/retention/horizon.ts";
import { feed, mustFeed, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, snapshot } from "../support/state.ts";
import {
  addUp,
  addUpInPart,
  FIRST_KEPT_SECOND,
  goTo,
  keepMonths,
  LAST_OLD_SECOND,
  setUpRetention,
  shop,
  storedRetention,
} from "./support.ts";

// docs/contract/retention.md, 3. It is June, and events from before May are old.

beforeEach(setUpRetention);

const TEXT = "is older than the events that are kept";
const onLines = (numbers: readonly number[], field: string) =>
  Object.fromEntries(numbers.map((number) => [`line ${number}.${field}`, [TEXT]]));

describe("an event from before the stored horizon", () => {
  it.for([
    ["as it was", 1],
    ["greater", 3],
    ["empty", undefined],
  ] as const)(
    "is a bad line if RETENTION_MONTHS is %s, and whether it was stored or not",
    async ([, months], { expect }) => {
      const { lines, entry, earning, play } = shop();
      const line = entry("1.00", LAST_OLD_SECOND);
      await mustFeed([...lines, line]);
      await addUp();
      keepMonths(months);
      await addUp();
      const snapshotBefore = await snapshot();

      const refused = await feed([entry("1.00", FIRST_KEPT_SECOND), line, play("2.00", LAST_OLD_SECOND), line]);

      expect(refused).toMatchObject({
        status: 422,
        body: { messages: { ...onLines([2, 4], "created_at"), ...onLines([3], "played_at") } },
      });
      expect(await snapshot()).toEqual(snapshotBefore);
      expect((await feed([earning("1.00", FIRST_KEPT_SECOND)])).status).toBe(200);
    },
  );

  it("is refused before accounts are checked, in one round trip, and the first hundred lines are named", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    await mustFeed(lines);
    await addUp();

    const foreignAnswer = await feed([entry("1.00", LAST_OLD_SECOND)], ["another"]);
    const longAnswer = await feed(Array.from({ length: 150 }, () => entry("1.00", LAST_OLD_SECOND)));
    const { roundTrips } = await feedUsage([entry("1.00", FIRST_KEPT_SECOND)]);

    expect([foreignAnswer.status, foreignAnswer.body.messages]).toEqual([422, onLines([1], "created_at")]);
    expect(Object.keys(longAnswer.body.messages)).toEqual(
      Array.from({ length: 100 }, (_, index) => `line ${index + 1}.created_at`),
    );
    expect(roundTrips).toBe(1);
  });

  it("is taken by a restore", async ({ expect }) => {
    const { lines, entry } = shop();
    const line = entry("1.00", LAST_OLD_SECOND);

    await restore([PROGRAM]);

    expect((await restore([...lines, line])).body.items.ignored).toBe(0);
  });

  it("is no line of another kind, no delete, and no line whose old time is in an unknown field", async ({ expect }) => {
    const { lines, message } = shop();
    await mustFeed(lines);
    await addUp();
    const member = seed.membership(lines[1]?.id, lines[3]?.id, { joined_at: LAST_OLD_SECOND });

    const deleted = { ...message(LAST_OLD_SECOND), deleted: true };
    const answer = await feed([...lines.map((line) => ({ ...line, "": LAST_OLD_SECOND })), member, deleted]);

    expect(answer.body.items).toMatchObject({ accepted: lines.length + 1, ignored: 1 });
  });
});

const PROGRAM = {
  record: "program",
  message_stamp: "2026-05-01 10:00:00",
  message_clock_said: "2026-05-01 10:00:00",
  horizon: FIRST_KEPT_SECOND,
  retention_steps: 7,
};

describe("the stored horizon", () => {
  it("is moved by the first step of a month, and until then old events are taken", async ({ expect }) => {
    const { lines, entry } = shop();
    await mustFeed([...lines, entry("1.00", LAST_OLD_SECOND)]);
    const databaseThatFails = databaseThrough(async ({ sql, send }) => {
      if (sql.some((text) => text.includes("DELETE"))) throw new Error("Network connection lost.");
      return send();
    });

    await addUpInPart(1, 1, { database: databaseThatFails });
    const { horizon: horizonBefore } = await storedRetention();
    await mustFeed([entry("1.00", LAST_OLD_SECOND)]);
    await addUpInPart(1);

    expect(horizonBefore < "2000").toBe(true);
    expect(await storedRetention()).toMatchObject({ horizon: FIRST_KEPT_SECOND });
  });

  it("never moves back, and moves forward again once RETENTION_MONTHS reaches it", async ({ expect }) => {
    await mustFeed([]);
    const horizons: string[] = [];

    for (const [months, now] of [
      [1, "2026-06-10 07:00:00"],
      [5, "2026-06-11 07:00:00"],
      [2, "2026-07-10 07:00:00"],
      [2, "2026-08-10 07:00:00"],
    ] as const) {
      await goTo(now);
      keepMonths(months);
      await addUp();
      horizons.push((await storedRetention()).horizon.slice(0, 7));
    }

    expect(horizons).toEqual(["2026-05", "2026-05", "2026-05", "2026-06"]);
  });

  it("is restored with the number of steps, and of each the greater counts", async ({ expect }) => {
    const horizons = [];

    for (const fields of [{}, { horizon: "2026-04-01 00:00:00", retention_steps: 8 }, { retention_steps: 3 }]) {
      await restore([{ ...PROGRAM, ...fields }]);
      horizons.push(await storedRetention());
    }
    const refused = await restore([{ ...PROGRAM, horizon: "2026-06-10 07:01:01", retention_steps: -1 }]);

    const stored = { horizon: FIRST_KEPT_SECOND, steps: 8 };
    expect(horizons).toEqual([{ ...stored, steps: 7 }, stored, stored]);
    expect(Object.keys(refused.body.messages)).toEqual(["line 1.retention_steps"]);
  });

  it("is not restored from the future, from which every event would be too old", async ({ expect }) => {
    await freshDatabase("2026-06-10 07:00:00");

    const { body } = await restore([{ ...PROGRAM, horizon: "2026-06-10 07:01:01" }]);

    expect(body.messages).toEqual({ "line 1.horizon": ["must not be more than a minute in the future"] });
  });
});

describe("RETENTION_MONTHS", () => {
  it.for([
    [1, "2026-06-10T07:00:00Z", "2026-05-01 00:00:00"],
    [1, "2026-06-30T23:59:59.999Z", "2026-05-01 00:00:00"],
    [1, "2026-07-01T00:00:00Z", "2026-06-01 00:00:00"],
    [13, "2026-01-31T12:00:00Z", "2024-12-01 00:00:00"],
    [120, "2026-03-31T12:00:00Z", "2016-03-01 00:00:00"],
  ] as const)("of %i at %s keeps events from %s on", ([months, now, horizon], { expect }) => {
    expect(horizonOf(months, new Date(now))).toBe(horizon);
  });

  it("is 1 to 120", ({ expect }) => {
    const texts = ["0", "1", "9", "10", "99", "100", "119", "120", "121", "", "01", "1.5", "-1"];

    expect(texts.map(monthsOf)).toEqual([null, 1, 9, 10, 99, 100, 119, 120, null, null, null, null, null]);
  });
});
