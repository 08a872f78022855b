import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { restore } from "../support/api.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { Trial } from "./trial.ts";

const { numRuns, seed } = propertyRuns(2);

beforeAll(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe("a random program that is exported, and restored into an empty database", () => {
  it("answers, exports and changes as before", async ({ expect }) => {
    for (let run = 0; run < numRuns; run += 1) {
      const trial = new Trial(`seed ${seed}, restored, run ${run}`, "mixed");
      await trial.begin();
      for (let step = 0; step < 12; step += 1) {
        await trial.change();
        // With -1, the clock of the database is set back, so that new messages get times later than the clock's.
        await trial.pass(trial.random.pick([0, 0, 1, 2, -1]));
      }
      const pages = await trial.checkExport();

      await trial.emptyDatabase();
      for (const page of pages) expect(await restore(page), page).toMatchObject({ status: 200 });
      trial.model.forgetRemovedGroups();

      expect(await trial.checkExport()).toEqual(pages);
      await trial.ask(60);
      for (let step = 0; step < 4; step += 1) {
        await trial.change();
        await trial.pass(1);
        await trial.ask(12);
      }
      await trial.checkExport();
    }
  });
});
