import { afterEach, describe, it, vi } from "vitest";
import { IDS } from "../feed/restore/filled-in.ts";
import { FULL_PROGRAM, FURTHER } from "../feed/restore/full-program.ts";
import { type Nights, transfer } from "../feed/restore/transfer.ts";
import { endNight, keepMonths, seal, sealInPart } from "./support.ts";

afterEach(endNight);

/** Nights of which the first ends after so many turns, each of three events. */
const nightsOf = (turns: number): Nights => ({
  goTo(now) {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(`${now.replace(" ", "T")}Z`);
    keepMonths(1);
  },
  seal: async () => seal(),
  async sealInPart() {
    await sealInPart(turns, 3);
  },
});
const ENOUGH_TURNS = 200;

describe("a database whose events have left, exported and restored into an empty one", () => {
  it("answers and exports the same of a full program, and once more events have left", async ({ expect }) => {
    const program = { ids: IDS, first: FULL_PROGRAM, further: FURTHER };

    const { fed, restored } = await transfer(program, { nights: nightsOf(ENOUGH_TURNS) });

    expect(restored).toEqual(fed);
    expect([fed.before, fed.after, fed.later].map((seen) => seen?.differences)).toEqual([[], [], []]);
    const kinds = new Set(fed.before.pages.join("\n").match(/(?<="record":")\w+(?=","sealed":true)/g));
    expect([...kinds]).toEqual(["balance_entry", "token_earning", "play"]);
    expect(fed.before.pages.join()).toContain('"record":"history_segment"');
  });
});
