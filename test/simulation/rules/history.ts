import { faultOf, linesOf, sha256Of } from "../../../scripts/lib/history-segments.ts";
import { isEvent } from "../../../src/db/select.ts";
import { SEALED_KINDS } from "../../../src/history/kinds.ts";
import type { Segment } from "../../../src/history/object.ts";
import type { Row } from "../../model/kinds.ts";
import { toUtc } from "../../model/time.ts";
import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";
import { OLD_EVENTS, ONE_PLACE } from "./names.ts";

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

/** The lines of a feed request, and the fields with times that were too old when the request arrived. */
export interface ArrivedFeed {
  lines: readonly Row[];
  tooOld: readonly string[];
}

/** The promises about history: docs/contract/history.md, 2 to 4. */
export class HistoryRules {
  /** All segments that there were, each as its row. */
  readonly segments = new Set<string>();
  readonly #world: World;
  readonly #contents = new Map<string, Content>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Every segment's row fits its object, and every event is in one place. */
  check(): void {
    const segments = this.#segments();
    for (const { record, table } of SEALED_KINDS) {
      const sealedIds = segments.filter(({ segment }) => segment.kind === record).flatMap(({ content }) => content.ids);
      const ids = [...sealedIds, ...this.#storedIds(table)];
      const distinct = new Set(ids);
      if (distinct.size < ids.length)
        this.#world.fail(ONE_PLACE, `${record} ${ids.find((id, at) => ids.indexOf(id) !== at)} is in two`);
    }
  }

  /** The ids of the events that have left for history. */
  sealedIds(kind: string): string[] {
    return this.#segments().flatMap(({ segment, content }) => (segment.kind === kind ? content.ids : []));
  }

  /** What `checkFeed` needs to know from before a feed request; null for another request. */
  begin({ path, body }: Call): ArrivedFeed | null {
    if (path !== "/api/v1/feed" || body === undefined) return null;
    const lines = body.split("\n").map((line) => JSON.parse(line) as Row);
    return { lines, tooOld: this.#tooOld(lines) };
  }

  /** The fields of the lines whose events are too old now, such as `line 3.created_at`. */
  #tooOld(lines: readonly Row[]): string[] {
    const { horizon } = this.#world;
    return lines.flatMap((line, index) => {
      const field = TIME_OF[line.record] ?? "";
      // A text that is not a time is refused for that reason, and not because of its age.
      const at = typeof line[field] === "string" ? toUtc(line[field]) : undefined;
      return at !== undefined && at < horizon ? [`line ${index + 1}.${field}`] : [];
    });
  }

  /** A refusal names every field that was too old when the request arrived, and no field that is not too old now. */
  checkFeed({ lines, tooOld }: ArrivedFeed, { status, json }: Answer): void {
    if (status !== 200 && status !== 422) return;
    const messages: Record<string, readonly string[]> = status === 422 ? (json.messages ?? {}) : {};
    const refusedFields = Object.keys(messages).filter((field) => messages[field]?.includes(TOO_OLD));
    const oldNow = this.#tooOld(lines);
    const isRight =
      tooOld.every((field) => refusedFields.includes(field)) && refusedFields.every((field) => oldNow.includes(field));
    if (!isRight)
      this.#world.fail(OLD_EVENTS, `${status} names ${refusedFields}; too old at first: ${tooOld}, now: ${oldNow}`);
  }

  #segments(): { segment: Segment; content: Content }[] {
    const segments = this.#world.database.primary.read<Segment>(
      "SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments",
    );
    return segments.map((segment) => ({ segment, content: this.#contentOf(segment) }));
  }

  /** The content of a segment's object. Parses the object only if it or its row has changed. */
  #contentOf(segment: Segment): Content {
    const bytes = this.#world.bucket.read(segment.name);
    const name = JSON.stringify(Object.values(segment));
    const knownContent = this.#contents.get(name);
    if (knownContent?.bytes === bytes) return knownContent;
    const sha256 = bytes === null ? "" : sha256Of(bytes);
    const isRight = bytes !== null && sha256 === segment.sha256 && bytes.length === segment.bytes;
    if (!isRight) this.#world.fail(ONE_PLACE, `${segment.name} is ${sha256}, and its row says ${segment.sha256}`);
    const lines = bytes === null ? [] : linesOf(bytes);
    const fault = faultOf(segment, lines);
    if (fault !== null) this.#world.fail(ONE_PLACE, `${segment.name} ${fault}`);
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
}
