import { lineField } from "../../src/feed/refusals.ts";
import { NAMED_LINES } from "../../src/http/limits.ts";
import type { FieldMessages } from "../../src/values/messages.ts";
import { formatCount } from "./format.ts";

/** Prints the faults of the first bad lines of a file, and counts all. */
export class Faults {
  count = 0;

  add(texts: readonly string[]): void {
    this.count += 1;
    if (this.count <= NAMED_LINES) for (const text of texts) console.error(text);
  }

  addLine(number: number, messages: FieldMessages): void {
    this.add(Object.entries(messages).map(([field, texts]) => `${lineField(number, field)}: ${texts.join("; ")}`));
  }

  /** Prints how many bad lines were not named. */
  printRest(): void {
    if (this.count > NAMED_LINES)
      console.error(`… and ${formatCount(this.count - NAMED_LINES, "more bad line", "more bad lines")}.`);
  }
}
