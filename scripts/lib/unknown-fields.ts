import { isTypoOf } from "../../src/customer/search/known-customers.ts";
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
  readonly #findings = new Map<string, { record: string; field: string; firstLine: number; lines: number }>();

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
      const name = `${kind.record} ${field}`;
      const finding = this.#findings.get(name);
      if (finding !== undefined) finding.lines += 1;
      else if (this.#findings.size < NAMED_FIELDS)
        this.#findings.set(name, { record: kind.record, field, firstLine: line, lines: 1 });
    }
  }

  /** A warning for each field of a kind, not for each line. */
  warnings(): string[] {
    return [...this.#findings.values()].map(({ record, field, firstLine, lines }) => {
      const kind = this.#kinds.find((candidate) => candidate.record === record);
      const nearest = nearestTo(field, Object.keys(kind?.fields.shape ?? {}));
      const lineText = lines === 1 ? `line ${firstLine}` : `line ${firstLine} and ${formatNumber(lines - 1)} more`;
      return `${lineText}: ${record} has no field ${field}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
    });
  }
}

/** The first name that begins with this text, with at most one typo. Capital letters and underscores do not count. */
function nearestTo(field: string, names: readonly string[]): string | undefined {
  const letters = lettersOf(field);
  return names.find((name) => lettersOf(name).startsWith(letters) || isTypoOf(letters, lettersOf(name)));
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
