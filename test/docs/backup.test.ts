import { describe, it } from "vitest";
import operating from "../../docs/operating.md?raw";
import { JOBS } from "../../src/service/jobs.ts";

describe("the backup of every night, as docs/operating.md has it", () => {
  it("begins when no history moves", ({ expect }) => {
    const { from, until = "" } = JOBS.find(({ name }) => name === "seal history") ?? {};
    const hours = [...operating.matchAll(/^\d+ (\d+) \* \* \* sh/gm)].map(([, hour]) => Number(hour));

    expect([from, until]).toEqual(["07:00", "10:50"]);
    expect(hours).toHaveLength(1);
    // The last run may go on for eight minutes.
    expect(hours.filter((hour) => hour >= 7 && hour <= 11)).toEqual([]);
  });
});
