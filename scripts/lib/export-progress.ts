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
  #changes: string | undefined;

  add({ lines, bytes, version, changes }: Page): void {
    this.#changes ??= changes;
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
    if (this.#changes !== undefined) console.error(`The changes go on after ${this.#changes}`);
  }

  #snapshotText(): string {
    if (this.requestsMeanwhile === 0) return `A snapshot of version ${formatNumber(this.#firstVersion ?? 0)}.`;
    const requests = formatCount(this.requestsMeanwhile, "request was", "requests were");
    return `No snapshot, but it can be restored: ${requests} committed meanwhile.`;
  }

  #summary(): string {
    const { lines, bytes } = this.#totals;
    const megabytes = formatNumber(Math.round(bytes / 1e6));
    return `${formatCount(lines, "line")} (${megabytes} MB) ${formatRate(lines, this.#startedAt)}`;
  }
}
