import type { Page } from "./export-client.ts";
import { formatCount, formatNumber, formatRate } from "./format.ts";
import { progressPrinter } from "./progress.ts";

/** Prints how far an export is, and whether it is a snapshot. */
export class ExportProgress {
  readonly #print = progressPrinter();
  readonly #startedAt = Date.now();
  readonly #totals = { lines: 0, bytes: 0 };
  #firstVersion: number | undefined;
  #lastVersion = 0;

  add({ lines, bytes, version }: Page): void {
    this.#totals.lines += lines;
    this.#totals.bytes += bytes.length;
    this.#lastVersion = Number(version);
    this.#firstVersion ??= this.#lastVersion;
    this.#print(this.#summary());
  }

  /** The number of feed requests that were committed between the first page and the last. */
  get requestsMeanwhile(): number {
    return this.#lastVersion - (this.#firstVersion ?? 0);
  }

  report(): void {
    console.error(`${this.#summary()}. ${this.#snapshotText()}`);
  }

  #snapshotText(): string {
    if (this.requestsMeanwhile === 0)
      return `A snapshot after ${formatCount(this.#firstVersion ?? 0, "feed request")}.`;
    const requests = formatCount(this.requestsMeanwhile, "feed request was", "feed requests were");
    return `No snapshot: ${requests} committed meanwhile.`;
  }

  #summary(): string {
    const { lines, bytes } = this.#totals;
    const megabytes = formatNumber(Math.round(bytes / 1e6));
    return `${formatCount(lines, "line")} (${megabytes} MB) ${formatRate(lines, this.#startedAt)}`;
  }
}
