import { objectOf } from "../../src/feed/lines.ts";
import type { Kind } from "../../src/feed/records/kind.ts";
import { formatNumber } from "./format.ts";

/** At most this many fields get a warning, because a file of another format may have any number of unknown fields. */
const NAMED_FIELDS = 100;

/**
 * Collects fields that the kind of a line does not have. The feed ignores such fields, so nobody would notice a typo.
 */
export class UnknownFields {
  readonly #kinds: readonly Kind[];
  readonly #findings = new Map<string, { firstLine: number; lines: number }>();

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds;
  }

  add(line: number, text: string | null): void {
    const object = objectOf(text);
    if (Array.isArray(object)) return;
    const kind = this.#kinds.find(({ record }) => record === object.record);
    if (kind === undefined) return;
    for (const field of Object.keys(object)) {
      if (Object.hasOwn(kind.fields.shape, field) || field === "record" || field === "deleted") continue;
      const fault = `${kind.record} has no field ${field}`;
      const finding = this.#findings.get(fault);
      if (finding !== undefined) finding.lines += 1;
      else if (this.#findings.size < NAMED_FIELDS) this.#findings.set(fault, { firstLine: line, lines: 1 });
    }
  }

  /** A warning for each field of a kind, not for each line. */
  warnings(): string[] {
    return [...this.#findings].map(([fault, { firstLine, lines }]) => {
      const lineText = lines === 1 ? `line ${firstLine}` : `line ${firstLine} and ${formatNumber(lines - 1)} more`;
      return `${lineText}: ${fault}`;
    });
  }
}
