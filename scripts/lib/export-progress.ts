import type { Page } from "./export-client.ts";
import { ProgressLine } from "./progress-line.ts";
import { count, counted, duration } from "./words.ts";

/** Prints how far an export is, and whether it is a snapshot. */
export class ExportProgress {
  /** Lines that were left out, because they refer to a record that was stored after the record's kind was read. */
  leftOut = 0;
  readonly #line = new ProgressLine();
  readonly #startedAt = Date.now();
  readonly #read = { lines: 0, bytes: 0 };
  #versions: [first: number, last: number] | undefined;

  add({ lines, bytes, version }: Page): void {
    this.#read.lines += lines;
    this.#read.bytes += bytes.length;
    this.#versions = [this.#versions?.[0] ?? Number(version), Number(version)];
    this.#line.say(this.#summary());
  }

  /** The number of feed requests that were committed between the first page and the last. */
  get fedMeanwhile(): number {
    const [first, last] = this.#versions ?? [0, 0];
    return last - first;
  }

  report(): void {
    const left =
      this.leftOut === 0
        ? ""
        : ` ${counted(this.leftOut, "line that came too late was", "lines that came too late were")} left out.`;
    const state =
      this.fedMeanwhile === 0
        ? `A snapshot after ${counted(this.#versions?.[0] ?? 0, "feed request")}.`
        : `No snapshot: ${counted(this.fedMeanwhile, "feed request was", "feed requests were")} committed meanwhile.${left}`;
    this.end();
    console.error(`${this.#summary()}. ${state}`);
  }

  end(): void {
    this.#line.end();
  }

  #summary(): string {
    const { lines, bytes } = this.#read;
    const seconds = Math.max((Date.now() - this.#startedAt) / 1_000, 0.001);
    const [rate, size] = [count(Math.round(lines / seconds)), count(Math.round(bytes / 1e6))];
    return `${counted(lines, "line")} (${size} MB) in ${duration(seconds)}, ${rate} lines/s`;
  }
}
