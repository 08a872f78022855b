import { describe, it } from "vitest";
import operating from "../../docs/operating.md?raw";
import config from "../../wrangler.toml?raw";

describe("the backup of every night, as docs/operating.md has it", () => {
  it("begins when no history moves", ({ expect }) => {
    const [, from, to] = /"\*\/10 (\d+)-(\d+) \* \* \*"/.exec(config) ?? [];
    const hours = [...operating.matchAll(/^\d+ (\d+) \* \* \* sh/gm)].map(([, hour]) => Number(hour));

    expect([from, to]).toEqual(["7", "10"]);
    expect(hours).toHaveLength(1);
    // A run may go on for eight minutes after the last hour of its schedule.
    expect(hours.filter((hour) => hour >= Number(from) && hour <= Number(to) + 1)).toEqual([]);
  });
});
