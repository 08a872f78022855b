import { faultOf, linesOf, sha256Of } from "../../../scripts/lib/history-segments.ts";
import { isEvent } from "../../../src/db/select.ts";
import { SEALED_KINDS } from "../../../src/history/kinds.ts";
import type { Segment } from "../../../src/history/object.ts";
import type { Row } from "../../model/kinds.ts";
import { toUtc } from "../../model/time.ts";
import type { Answer } from "../network.ts";
import type { World } from "../world.ts";
import { PLACED, REFUSED } from "./names.ts";

/** The time field of each kind of event. */
const TIME_OF: Readonly<Record<string, string>> = Object.fromEntries(
  SEALED_KINDS.map(({ record, time }) => [record, time]),
);

const TOO_OLD = "is older than the history that is kept";

/** The content of a segment's object. */
interface Content {
  bytes: Buffer | null;
  ids: readonly string[];
}

/** The promises about history: docs/contract/history.md, 2 to 4. */
export class HistoryRules {
  /** All segments that there were, each as its row. */
  readonly segments = new Set<string>();
  /** How many requests had events that were too old. */
  refused = 0;
  /** Whether a customer is being erased. Then a segment's row may differ from its object, which is written later. */
  isErasing = false;
  readonly #world: World;
  readonly #contents = new Map<string, Content>();

  constructor(world: World) {
    this.#world = world;
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
  }

  /** The ids of the events that have left for history. */
  sealedIds(kind: string): string[] {
    return this.#segments().flatMap(({ segment, content }) => (segment.kind === kind ? content.ids : []));
  }

  /** The indexes of the lines whose events are too old now. */
  tooOld(lines: readonly Row[]): number[] {
    const { horizon } = this.#world.history;
    return lines.flatMap((line, index) => {
      const time = line[TIME_OF[line.record] ?? ""];
      // A text that is not a time is refused for that reason, and not because of its age.
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
    const refused = Object.keys(messages).filter((field) => messages[field]?.includes(TOO_OLD));
    const [oldAtFirst, oldNow] = [fieldsOf(tooOld), fieldsOf(this.tooOld(lines))];
    const isRight =
      oldAtFirst.every((field) => refused.includes(field)) && refused.every((field) => oldNow.includes(field));
    if (!isRight) this.#fail(REFUSED, `${status} names ${refused}; too old at first: ${oldAtFirst}, now: ${oldNow}`);
    if (tooOld.length > 0) this.refused += 1;
  }

  #segments(): { segment: Segment; content: Content }[] {
    const segments = this.#world.database.primary.read<Segment>(
      "SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments",
    );
    return segments.map((segment) => ({ segment, content: this.#contentOf(segment) }));
  }

  /** The content of a segment's object. Parses the object only if it or its row has changed. */
  #contentOf(segment: Segment): Content {
    const bytes = this.#world.history.bucket.read(segment.name);
    const name = JSON.stringify(Object.values(segment));
    const parsed = this.#contents.get(name);
    if (parsed !== undefined && parsed.bytes === bytes) return parsed;
    const sha256 = bytes === null ? "" : sha256Of(bytes);
    const isRight = bytes !== null && sha256 === segment.sha256 && bytes.length === segment.bytes;
    if (!isRight && !this.isErasing)
      this.#fail(PLACED, `${segment.name} is ${sha256}, and its row says ${segment.sha256}`);
    const lines = bytes === null ? [] : linesOf(bytes);
    const fault = faultOf(segment, lines);
    if (fault !== null) this.#fail(PLACED, `${segment.name} ${fault}`);
    const content = { bytes, ids: lines.map(({ id }) => String(id)) };
    if (isRight) this.#contents.set(name, content);
    this.segments.add(name);
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
