import { RETAINED_KINDS } from "../../../src/retention/kinds.ts";
import type { Row } from "../../model/kinds.ts";
import { toUtc } from "../../model/time.ts";
import type { Answer, Call } from "../calls.ts";
import type { World } from "../world.ts";
import { HORIZON, OLD_EVENTS } from "./names.ts";

/** The time field of each kind of event. */
const TIME_OF: Readonly<Record<string, string>> = Object.fromEntries(
  RETAINED_KINDS.map(({ record, time }) => [record, time]),
);

const TOO_OLD = "is older than the events that are kept";

/** The lines of a feed request, and the fields with times that were too old when the request arrived. */
export interface ArrivedFeed {
  lines: readonly Row[];
  tooOld: readonly string[];
  at: number;
}

/** The promises about the horizon: docs/contract/retention.md, 3. */
export class RetentionRules {
  readonly #world: World;
  #lastHorizon = "";

  constructor(world: World) {
    this.#world = world;
  }

  /** The stored horizon, and how many steps have deleted events. */
  get stored(): { horizon: string; steps: number } {
    const [state] = this.#world.database.primary.read<{ horizon: string; steps: number }>(
      "SELECT horizon, retention_steps AS steps FROM program_state",
    );
    return state ?? { horizon: "", steps: 0 };
  }

  noteCommit(): void {
    const { horizon } = this.stored;
    if (horizon < this.#lastHorizon) this.#world.fail(HORIZON, `it was ${this.#lastHorizon}, and is ${horizon}`);
    this.#lastHorizon = horizon;
  }

  /** What `checkFeed` needs to know from before a feed request; null for another request. */
  begin({ path, body }: Call): ArrivedFeed | null {
    if (path !== "/api/v1/feed" || body === undefined) return null;
    const lines = body.split("\n").map((line) => JSON.parse(line) as Row);
    return { lines, tooOld: this.#tooOld(lines), at: this.#world.time.now };
  }

  /** The fields of the lines whose events are too old now, such as `line 3.created_at`. */
  #tooOld(lines: readonly Row[]): string[] {
    const { horizon } = this.stored;
    return lines.flatMap((line, index) => {
      const field = TIME_OF[line.record] ?? "";
      // A text that is not a time is refused for that reason, and not because of its age.
      const at = typeof line[field] === "string" ? toUtc(line[field]) : undefined;
      return at !== undefined && at < horizon ? [`line ${index + 1}.${field}`] : [];
    });
  }

  /** A refusal names every field that was too old when the request arrived, and no field that is not too old now. */
  checkFeed({ lines, tooOld, at }: ArrivedFeed, { status, json }: Answer): void {
    if (![200, 422].includes(status) || this.#world.setBackAt >= at) return;
    const messages: Record<string, readonly string[]> = status === 422 ? (json.messages ?? {}) : {};
    const refusedFields = Object.keys(messages).filter((field) => messages[field]?.includes(TOO_OLD));
    // A line with another error is refused before its age is looked at.
    if (status === 422 && refusedFields.length === 0) return;
    const oldNow = this.#tooOld(lines);
    const isRight =
      tooOld.every((field) => refusedFields.includes(field)) && refusedFields.every((field) => oldNow.includes(field));
    if (!isRight)
      this.#world.fail(OLD_EVENTS, `${status} names ${refusedFields}; too old at first: ${tooOld}, now: ${oldNow}`);
  }

  /** The database has been set back. */
  forget(): void {
    this.#lastHorizon = "";
  }
}
