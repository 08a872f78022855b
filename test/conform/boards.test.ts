import { beforeEach, vi } from "vitest";
import { Http } from "../../scripts/conform/http.ts";
import { BOARDS } from "../../scripts/conform/sections/index.ts";
import { testSections } from "./sections.ts";

// A rule waits until a board is 30 seconds old. The Worker counts its age by `Date`, so the wait can pass at once.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(Http.prototype, "sleep").mockImplementation(async (milliseconds) => {
    vi.setSystemTime(Date.now() + milliseconds);
  });
});

await testSections(BOARDS);
