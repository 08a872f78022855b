import { faultOf, linesOf, sha256Of } from "../../../scripts/lib/history-segments.ts";
import { isEvent } from "../../../src/db/select.ts";
import { SEALED_KINDS } from "../../../src/history/kinds.ts";
import type { Segment } from "../../../src/history/object.ts";
import type { Row } from "../../model/kinds.ts";
import { toUtc } from "../../model/time.ts";
import type { History } from "../history.ts";
import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";
import { PLACED, REFUSED } from "./names.ts";

/** The time field of each kind of event. */
const TIME_OF: Readonly<Record<string, string>> = Object.fromEntries(
  SEALED_KINDS.map(({ record, time }) => [record, time]),
);

const LEFT = "after a full scan, no old event is left";
const HELD_UP = "R2 delays no answer";
const TOO_OLD = "is older than the history that is kept";

// A feed waits up to two seconds for inboxes.
const ANSWERED_WITHIN_MS = 3_000;

/** The content of a segment's object. */
interface Content {
  bytes: Buffer | null;
  ids: readonly string[];
}

/** The promises about history: docs/contract/history.md, 2 to 4. */
export class HistoryRules {
  /** How often each situation came up: the simulation must reach all of them. */
  readonly seen = { segments: new Set<string>(), refused: 0, answers: 0 };
  /** An erasure writes a segment's row before its object. */
  isErasing = false;
  readonly #world: World;
  readonly #history: History;
  readonly #contents = new Map<string, Content>();
  readonly #isR2Alone: boolean;

  constructor(world: World, history: History) {
    this.#world = world;
    this.#history = history;
    this.#isR2Alone = world.faults.size > 0 && [...world.faults].every((fault) => fault.startsWith("R2 "));
  }

  /** If only R2 fails, every request is answered quickly. */
  checkAnswer({ method = "GET", path }: Call, { status, body, milliseconds }: Answer): void {
    if (!this.#isR2Alone) return;
    this.seen.answers += 1;
    if (status >= 500 || milliseconds > ANSWERED_WITHIN_MS)
      this.#fail(HELD_UP, `${method} ${path}: ${status} after ${milliseconds} ms: ${body.slice(0, 200)}`);
  }

  /** Every segment's row fits its object, and every event is in one place. */
  check(): void {
    const sealed = this.#segments();
    for (const { record, table } of SEALED_KINDS) {
      const sealedIds = sealed.filter(({ segment }) => segment.kind === record).flatMap(({ content }) => content.ids);
      const ids = [...sealedIds, ...this.#storedIds(table)];
      const distinct = new Set(ids);
      if (distinct.size < ids.length)
        this.#fail(PLACED, `${record} ${ids.find((id, at) => ids.indexOf(id) !== at)} is in two`);
    }
    this.#checkLeft();
  }

  /** Checks that old events have left. Messages may stay for another month, so they are not checked. */
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

  /** The ids of the events that have left for history. */
  sealedIds(kind: string): string[] {
    return this.#segments().flatMap(({ segment, content }) => (segment.kind === kind ? content.ids : []));
  }

  /** The indexes of the lines whose events are too old now. */
  tooOld(lines: readonly Row[]): number[] {
    const { horizon } = this.#history;
    return lines.flatMap((line, index) => {
      const time = line[TIME_OF[line.record] ?? ""];
      // A text that is no time is refused for that alone, not for its age.
      const at = typeof time === "string" ? toUtc(time) : undefined;
      return at !== undefined && at < horizon ? [index] : [];
    });
  }

  /**
   * A refusal names every line that was too old at first, and no line that is not too old now.
   * @param tooOld the indexes of the lines that were too old when they were fed first.
   */
  checkFeed({ lines, tooOld }: { lines: readonly Row[]; tooOld: readonly number[] }, { status, json }: Answer): void {
    const fieldsOf = (indexes: readonly number[]) =>
      indexes.map((index) => `line ${index + 1}.${TIME_OF[lines[index]?.record ?? ""]}`);
    const messages: Record<string, readonly string[]> = status === 422 ? (json.messages ?? {}) : {};
    const named = Object.keys(messages).filter((field) => messages[field]?.includes(TOO_OLD));
    const [atFirst, now] = [fieldsOf(tooOld), fieldsOf(this.tooOld(lines))];
    const isRight = atFirst.every((field) => named.includes(field)) && named.every((field) => now.includes(field));
    if (!isRight) this.#fail(REFUSED, `${status} names ${named}; too old at first: ${atFirst}, now: ${now}`);
    if (tooOld.length > 0) this.seen.refused += 1;
  }

  #segments(): { segment: Segment; content: Content }[] {
    const segments = this.#world.database.primary.read<Segment>(
      "SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments",
    );
    return segments.map((segment) => ({ segment, content: this.#contentOf(segment) }));
  }

  /** The content of a segment's object. Parses the object only if it or its row has changed. */
  #contentOf(segment: Segment): Content {
    const bytes = this.#history.bucket.read(segment.name);
    const name = JSON.stringify(Object.values(segment));
    const known = this.#contents.get(name);
    if (known !== undefined && known.bytes === bytes) return known;
    const sha256 = bytes === null ? "" : sha256Of(bytes);
    const isRight = bytes !== null && sha256 === segment.sha256 && bytes.length === segment.bytes;
    if (!isRight && !this.isErasing)
      this.#fail(PLACED, `${segment.name} is ${sha256}, and its row says ${segment.sha256}`);
    const lines = bytes === null ? [] : linesOf(bytes);
    const fault = faultOf(segment, lines);
    if (fault !== null) this.#fail(PLACED, `${segment.name} ${fault}`);
    const content = { bytes, ids: lines.map(({ id }) => String(id)) };
    if (isRight) this.#contents.set(name, content);
    this.seen.segments.add(name);
    return content;
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
