import { afterEach, describe, it, vi } from "vitest";
import { checkLine } from "../../../src/feed/lines.ts";
import { KINDS, RESTORED_KINDS } from "../../../src/feed/records/index.ts";
import { endNight, keepMonths, seal } from "../../history/support.ts";
import { IDS } from "./filled-in.ts";
import { FULL_PROGRAM, FURTHER } from "./full-program.ts";
import { Clock, emptyDatabase, exportAll, feedSteps, restoreAll, seen, transfer } from "./transfer.ts";

const NOW = "2026-06-01 12:00:00";
const LATER = "2026-08-01 12:00:00";

afterEach(() => {
  endNight();
});

type ExportedLine = Record<string, unknown> & { record: string; deleted?: boolean };

/** The lines of the full program's export, and of another once its events have left. */
async function exportedLines(): Promise<ExportedLine[]> {
  await emptyDatabase(NOW);
  await feedSteps(FULL_PROGRAM, new Clock());
  const before = await exportAll();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(`${LATER.replace(" ", "T")}Z`);
  keepMonths(1);
  await seal();
  const pages = [...before, ...(await exportAll())];
  return pages.flatMap((page) => page.split("\n").filter((line) => line !== "")).map((line) => JSON.parse(line));
}

/** What a line comes to, whatever its text. */
function read(line: ExportedLine): string {
  const checked = checkLine({ number: 1, text: JSON.stringify(line) }, RESTORED_KINDS);
  return JSON.stringify("line" in checked ? [checked.line, checked.row] : checked);
}

describe("an export that is restored", () => {
  it("leaves a full program as it was, and as it becomes", async ({ expect }) => {
    const { fed, restored } = await transfer({ ids: IDS, first: FULL_PROGRAM, further: FURTHER });

    expect(restored).toEqual(fed);
    expect([restored.before.differences, restored.after.differences]).toEqual([[], []]);
  });

  it("is of a program of which no line was refused", async ({ expect }) => {
    await emptyDatabase(NOW);

    const answers = await feedSteps([...FULL_PROGRAM, ...FURTHER], new Clock());

    expect(answers.filter(({ status }) => status !== true)).toEqual([]);
  });

  it("leaves an empty database empty", async ({ expect }) => {
    const { fed, restored } = await transfer({ ids: IDS, first: [], further: [] });

    expect(restored).toEqual(fed);
  });

  it("may be restored twice", async ({ expect }) => {
    await emptyDatabase(NOW);
    const clock = new Clock();
    await feedSteps(FULL_PROGRAM, clock);
    const now = await clock.move(0);
    const before = await seen(IDS);
    await emptyDatabase(now);

    await restoreAll(before.pages);
    await restoreAll(before.pages);

    expect(await seen(IDS)).toEqual(before);
  });
});

describe("the lines of an export", () => {
  it("have every field of every kind", async ({ expect }) => {
    const lines = await exportedLines();

    for (const kind of KINDS) {
      const own = lines.filter(({ record, deleted }) => record === kind.record && deleted !== true);
      expect(own).not.toEqual([]);
      for (const line of own) {
        const fields = Object.keys(kind.fields.shape).filter((field) => field !== "id" || !line.sealed);
        expect(Object.keys(line)).toEqual(expect.arrayContaining(fields));
      }
    }
    for (const kind of RESTORED_KINDS) {
      const own = lines.filter(({ record }) => record === kind.record);
      expect(Object.keys(kind.fields.shape).filter((field) => !own.some((line) => field in line))).toEqual([]);
    }
  });

  it("say something by each field: without it, a line would be another", async ({ expect }) => {
    const lines = await exportedLines();

    const silent = RESTORED_KINDS.flatMap(({ record, fields }) =>
      Object.keys(fields.shape)
        .filter((field) =>
          lines
            .filter((line) => line.record === record)
            .every(({ [field]: _, ...rest }, at, all) => read(rest as ExportedLine) === read(all[at] as ExportedLine)),
        )
        .map((field) => `${record}.${field}`),
    );

    expect(silent).toEqual([]);
  });
});
