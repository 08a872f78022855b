import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { COMPARED_KINDS } from "../../scripts/compare/compared-kind.ts";
import type { Difference } from "../../scripts/compare/differences.ts";
import { Random } from "../../scripts/program/random.ts";
import type { Row } from "../model/kinds.ts";
import { Model } from "../model/model.ts";
import { RandomProgram } from "../programs/random-program.ts";
import { SHAPES } from "../programs/shapes.ts";
import { comparisonOf } from "./comparing.ts";

// Random programs, which the model of the contract stores. The model knows nothing of comparisons.

const NOW = "2026-06-01 12:00:00";
const CHANGES = 25;
const PROGRAMS = 24;

const nameOf = (line: Row): string => {
  const key = (COMPARED_KINDS.get(line.record)?.kind.keyFields ?? []).map((field) => line[field]);
  return JSON.stringify([line.record, ...(line.record === "friendship" ? key.sort() : key)]);
};

/** A model with its history: the lines that it has taken. */
class History {
  readonly model: Model;
  readonly lines: Row[];

  constructor(model = new Model(), lines: readonly Row[] = []) {
    this.model = model;
    this.lines = [...lines];
  }

  take({ lines, accounts }: { lines: Row[]; accounts: readonly string[] | "*" }): void {
    // No line of a feed is a group that an erasure has shrunk.
    if (lines.some((line) => line.record === "customer" && line.deleted && this.#isInGroup(line.id))) return;
    if (this.model.feed(lines, { now: NOW, accounts }).status === 200) this.lines.push(...lines);
  }

  #isInGroup(customer: string): boolean {
    return this.model.lines().some(({ member_ids = [] }) => member_ids.includes(customer));
  }

  /** The records as their owner has them: each live one on the line that wrote it last, in the order of those lines. */
  file(): Row[] {
    const exported = this.model.lines();
    const deleted = new Set(exported.filter((line) => line.deleted).map((line) => `${nameOf(line)} ${line.life ?? 0}`));
    const live = exported.filter((line) => !line.deleted && !deleted.has(`${nameOf(line)} ${line.life ?? 0}`));
    return live.flatMap((line) => {
      const written = this.lines.filter((other) => !other.deleted && nameOf(other) === nameOf(line));
      const last = isEvent(line.record) ? written[0] : written.at(-1);
      const emptied = line.record === "message" && line.body === "" && last?.body !== "";
      return [last ?? line, ...(emptied ? [{ record: "message", id: line.id, deleted: true }] : [])];
    });
  }
}

/** The line by which --sync remedies a difference. */
function remedyOf({ record, remedy, fileText, exportText }: Difference): Row {
  if (remedy === "send") return JSON.parse(fileText ?? "");
  return COMPARED_KINDS.get(record)?.deletionOf(JSON.parse(exportText ?? "")) as Row;
}

const differencesOf = async (file: readonly Row[], exported: readonly Row[]) =>
  (await comparisonOf(file, exported, { only: [...COMPARED_KINDS.keys()] })).all;
const isEvent = (record: string) => COMPARED_KINDS.get(record)?.kind.type === "event";
const isCurable = ({ remedy }: Difference) => remedy !== "never";

beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date(`${NOW.replace(" ", "T")}Z`) }));
afterAll(() => void vi.useRealTimers());

describe("a random program", () => {
  it.for(Array.from({ length: PROGRAMS }, (_, number) => `compare ${number}`))(
    "equals its own lines, and after --sync those of another day: %s",
    async (name, { expect }) => {
      const random = new Random(name);
      const shape = random.pick(Object.keys(SHAPES));
      const program = new RandomProgram(random, shape, SHAPES[shape]);
      const changeBy = (history: History) => {
        for (let count = 0; count < CHANGES; count += 1) history.take(program.changes(NOW));
      };
      const today = new History();
      today.take({ lines: program.beginning(NOW), accounts: "*" });
      changeBy(today);
      const service = new Model(today.model.state.copy());
      changeBy(today);
      const file = today.file();

      const own = await differencesOf(file, today.model.lines());
      const found = await differencesOf(file, service.lines());
      const refused = found.filter(isCurable).flatMap((difference) => {
        const line = remedyOf(difference);
        const { status } = service.feed([line], { now: NOW, accounts: "*" });
        // An old event may name a customer who was erased since, or a sender who has left the group.
        return status === 200 || isEvent(line.record) ? [] : [line];
      });
      const left = await differencesOf(file, service.lines());

      expect(own).toEqual([]);
      expect(found).not.toEqual([]);
      expect(refused).toEqual([]);
      expect(left.filter((difference) => isCurable(difference) && !isEvent(difference.record))).toEqual([]);
      expect(liveStates(service)).toEqual(liveStates(today.model));
    },
  );
});

/** The names of the states that an export shows as they are. */
function liveStates(model: Model): string[] {
  const states = model.lines().filter(({ record }) => !isEvent(record));
  const nameInLife = (line: Row) => `${nameOf(line)} ${line.record === "membership" ? (line.life ?? 0) : ""}`;
  const deleted = new Set(states.filter((line) => line.deleted).map(nameInLife));
  const live = states.filter((line) => !line.deleted && !deleted.has(nameInLife(line)));
  return [...new Set(live.map(nameOf))].sort();
}
