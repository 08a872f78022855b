import { describe, it } from "vitest";
import { latelyLines } from "../../scripts/program/lately.ts";
import { demoLines } from "../../scripts/program/program.ts";
import { toInstant } from "../../src/values/time.ts";
import { as, mustFeed } from "../support/api.ts";

const DAY_MS = 86_400_000;

describe("what happened lately", () => {
  it("gives the demo customer messages of the last days, on the next day too", async ({ expect }) => {
    const now = new Date();
    await mustFeed(demoLines());
    await mustFeed(latelyLines(["c1"], new Date(now.getTime() - DAY_MS)));
    await mustFeed(latelyLines(["c1"], now));

    const { body } = await as("c1").get("/api/v1/customer/messages");

    const ages = body.items.map(
      (group: { last_message_time: string }) => now.getTime() - toInstant(group.last_message_time),
    );
    expect(ages.length).toBeGreaterThan(2);
    expect(ages.filter((age: number) => age > 6 * DAY_MS)).toEqual([]);
  });
});
