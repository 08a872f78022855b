import { describe, it } from "vitest";
import { toDate } from "../../src/client/index.ts";

describe("toDate", () => {
  it("takes a time of the service for what it is, UTC", ({ expect }) => {
    expect(toDate("2026-11-20 09:30:00").toISOString()).toBe("2026-11-20T09:30:00.000Z");
  });

  it.for(["", "2026-11-20", "2026-11-20T09:30:00Z", "2026-11-20 9:30", "2026-13-01 00:00:00"])(
    "refuses what is no time of the service: %j",
    (text, { expect }) => {
      expect(() => toDate(text)).toThrow(RangeError);
    },
  );
});
