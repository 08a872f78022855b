import { isTypoOf } from "../../src/customer/search/known-customers.ts";
import { objectOf } from "../../src/feed/lines.ts";
import type { Kind } from "../../src/feed/records/kind.ts";
import { count } from "./words.ts";

/** A file of something else may have any number of names: more warnings than these help nobody. */
const NAMED_FIELDS = 100;

/** The fields of a file's lines that no record of their kind has. The feed ignores them, so a typo would pass in silence. */
export class UnknownFields {
  readonly #kinds: readonly Kind[];
  readonly #found = new Map<string, { record: string; field: string; firstLine: number; lines: number }>();

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds;
  }

  look(line: number, text: string | null): void {
    const object = objectOf(text);
    if (Array.isArray(object)) return;
    const kind = this.#kinds.find(({ record }) => record === object.record);
    if (kind === undefined) return;
    for (const field of Object.keys(object)) {
      if (Object.hasOwn(kind.fields.shape, field) || field === "record" || field === "deleted") continue;
      const name = `${kind.record} ${field}`;
      const known = this.#found.get(name);
      if (known !== undefined) known.lines += 1;
      else if (this.#found.size < NAMED_FIELDS)
        this.#found.set(name, { record: kind.record, field, firstLine: line, lines: 1 });
    }
  }

  /** One text for each field of a kind, however many lines have it. */
  warnings(): string[] {
    return [...this.#found.values()].map(({ record, field, firstLine, lines }) => {
      const kind = this.#kinds.find((one) => one.record === record);
      const nearest = nearestTo(field, Object.keys(kind?.fields.shape ?? {}));
      const where = lines === 1 ? `line ${firstLine}` : `line ${firstLine} and ${count(lines - 1)} more`;
      return `${where}: ${record} has no field ${field}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
    });
  }
}

/** The name with these initials, or one that begins so, or would but for a typo. */
function nearestTo(field: string, names: readonly string[]): string | undefined {
  const given = lettersOf(field);
  const isNear = (letters: string) => letters.startsWith(given) || isTypoOf(given, letters);
  return (
    names.find((name) => name.includes("_") && initialsOf(name) === given) ??
    names.find((name) => isNear(lettersOf(name)))
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function initialsOf(name: string): string {
  return name
    .split("_")
    .map((word) => word.slice(0, 1))
    .join("");
}
