import { faultOf, linesOf, sha256Of } from "../../../scripts/lib/history-segments.ts";
import { isEvent } from "../../../src/db/select.ts";
import { SEALED_KINDS } from "../../../src/history/kinds.ts";
import type { Segment } from "../../../src/history/object.ts";
import type { History } from "../history.ts";
import type { Line } from "../lines.ts";
import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";
import { PLACED, REFUSED } from "./names.ts";

/** The field that says when an event of each kind was. */
const TIME_OF: Readonly<Record<string, string>> = Object.fromEntries(
  SEALED_KINDS.map(({ record, time }) => [record, time]),
);

const LEFT = "once all were looked at, no old event is left";
const HELD_UP = "R2 holds up no answer";
const TOO_OLD = "is older than the history that is kept";

// A feed may wait for inboxes for two seconds.
const ANSWERED_WITHIN_MS = 3_000;

/** What a segment's object holds. */
interface Held {
  bytes: Buffer | null;
  ids: readonly string[];
}

/** What history promises: docs/contract/history.md, 2 to 4. */
export class HistoryRules {
  /** Segments that were written; requests that were refused because of an old event; answers while R2 alone fails. */
  readonly seen = { segments: new Set<string>(), refused: 0, answers: 0 };
  /** An erasure writes a segment's row before its object. */
  isErasing = false;
  readonly #world: World;
  readonly #history: History;
  readonly #held = new Map<string, Held>();
  /** The ids of events that were refused: no request that could be taken has them. */
  readonly #refused = new Set<string>();
  readonly #isR2Alone: boolean;

  constructor(world: World, history: History) {
    this.#world = world;
    this.#history = history;
    this.#isR2Alone = world.faults.size > 0 && [...world.faults].every((fault) => fault.startsWith("R2 "));
  }

  /** While nothing fails but R2, everybody is answered at once. */
  checkAnswer({ method = "GET", path }: Call, { status, body, milliseconds }: Answer): void {
    if (!this.#isR2Alone) return;
    this.seen.answers += 1;
    if (status >= 500 || milliseconds > ANSWERED_WITHIN_MS)
      this.#fail(HELD_UP, `${method} ${path}: ${status} after ${milliseconds} ms: ${body.slice(0, 200)}`);
  }

  /** Holds every segment to its object, and every event to its one place. */
  check(): void {
    const sealed = this.#segments();
    for (const { record, table } of SEALED_KINDS) {
      const ids = sealed.filter(({ segment }) => segment.kind === record).flatMap(({ held }) => held.ids);
      const places = [...ids, ...this.#storedIds(table)];
      const isPlaced = new Set(places);
      if (isPlaced.size < places.length)
        this.#fail(PLACED, `${record} ${places.find((id, at) => places.indexOf(id) !== at)} is in two`);
      const taken = [...this.#refused].find((id) => isPlaced.has(id));
      if (taken !== undefined) this.#fail(REFUSED, `${record} ${taken} was refused, and is there`);
    }
    this.#checkLeft();
  }

  /** But for messages: those that their group shows no more leave in the next month. */
  #checkLeft(): void {
    const { primary } = this.#world.database;
    const over = primary.read<{ kind: string; month: string }>(
      "SELECT kind, month FROM history_scans WHERE is_over = 1",
    );
    for (const { record, table, time, when } of SEALED_KINDS) {
      const month = over.find(({ kind }) => kind === record)?.month;
      if (record === "message" || month === undefined) continue;
      const [left] = primary.read(
        `SELECT id, ${time} AS at FROM ${table} WHERE ${time} < ? AND ${when} LIMIT 1`,
        month,
      );
      if (left !== undefined) this.#fail(LEFT, `${record} ${JSON.stringify(left)}, before ${month}`);
    }
  }

  /** The events of a kind that have left, and are in the segments that the database names. */
  sealedIds(kind: string): string[] {
    return this.#segments().flatMap(({ segment, held }) => (segment.kind === kind ? held.ids : []));
  }

  /** The lines whose events are too old now. */
  tooOld(lines: readonly Line[]): number[] {
    const { horizon } = this.#history;
    return lines.flatMap((line, index) => {
      const at = line[TIME_OF[line.record] ?? ""];
      return typeof at === "string" && at < horizon ? [index] : [];
    });
  }

  /** @param before the lines that were too old when they were fed first. */
  checkFeed({ lines, before }: { lines: readonly Line[]; before: readonly number[] }, { status, json }: Answer): void {
    const fields = (indexes: readonly number[]) =>
      indexes.map((index) => `line ${index + 1}.${TIME_OF[lines[index]?.record ?? ""]}`);
    const messages: Record<string, readonly string[]> = status === 422 ? (json.messages ?? {}) : {};
    const told = Object.keys(messages).filter((field) => messages[field]?.includes(TOO_OLD));
    const [atFirst, now] = [fields(before), fields(this.tooOld(lines))];
    const isRight = atFirst.every((field) => told.includes(field)) && told.every((field) => now.includes(field));
    if (!isRight) this.#fail(REFUSED, `${status} tells of ${told}, and too old are ${atFirst}, now ${now}`);
    if (before.length === 0) return;
    this.seen.refused += 1;
    for (const { record, id, deleted } of lines)
      if (record in TIME_OF && deleted !== true) this.#refused.add(String(id));
  }

  #segments(): { segment: Segment; held: Held }[] {
    const segments = this.#world.database.primary.read<Segment>(
      "SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments",
    );
    return segments.map((segment) => ({ segment, held: this.#amountsOf(segment) }));
  }

  /** What an object holds; it is read again only where it is another one, or another row names it. */
  #amountsOf(segment: Segment): Held {
    const bytes = this.#history.bucket.read(segment.name);
    const name = JSON.stringify(Object.values(segment));
    const known = this.#held.get(name);
    if (known !== undefined && known.bytes === bytes) return known;
    const sha256 = bytes === null ? "" : sha256Of(bytes);
    const isRight = bytes !== null && sha256 === segment.sha256 && bytes.length === segment.bytes;
    if (!isRight && !this.isErasing)
      this.#fail(PLACED, `${segment.name} is ${sha256}, and its row says ${segment.sha256}`);
    const lines = bytes === null ? [] : linesOf(bytes);
    const fault = faultOf(segment, lines);
    if (fault !== null) this.#fail(PLACED, `${segment.name} ${fault}`);
    const held = {
      bytes,
      ids: lines.map(({ id }) => String(id)),
    };
    if (isRight) this.#held.set(name, held);
    this.seen.segments.add(name);
    return held;
  }

  #storedIds(table: string): string[] {
    return this.#world.database.primary
      .read<{ id: string }>(`SELECT id FROM ${table} WHERE ${isEvent(table)}`)
      .map(({ id }) => id);
  }

  #fail(rule: string, what: string): void {
    this.#world.fail(rule, what);
  }
}
