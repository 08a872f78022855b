import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { ChangesPage } from "./changes-client.ts";
import { parse } from "./patient-client.ts";
import { CommandError } from "./project.ts";

/** What `FILE.cursor` says of the file. */
const Place = z.object({
  /** The cursor that the file began after; null: it began with the changes of that time. */
  began: z.string().nullable(),
  /** The cursor after the file's lines; null: nothing was answered yet. */
  after: z.string().nullable(),
  /** How many bytes of the file count. What follows is of a page whose cursor was not stored. */
  length: z.int().nonnegative(),
});
type Place = z.output<typeof Place>;

/**
 * A file to which pages of changes are appended. `FILE.cursor` has the cursor and the file's length. It is replaced after a
 * page is on the disk, so a page whose cursor is not stored is cut off at the next start, and is asked for again: each change
 * is in the file once, wherever the process was ended.
 */
export class FollowedFile {
  readonly #name: string;
  readonly #cursorFile: string;
  readonly #descriptor: number;
  #place: Place;

  /**
   * Opens the file, and cuts it to the length that counts. `after` is where a new file begins.
   * @throws a CommandError if the two files do not belong together, or if the file began elsewhere.
   */
  constructor(name: string, after: string | undefined) {
    this.#name = name;
    this.#cursorFile = `${name}.cursor`;
    const stored = this.#readPlace();
    if (stored !== undefined && after !== undefined && after !== stored.began)
      throw new CommandError(`${name} began after another cursor: name another file, or leave out --after to go on.`);
    this.#place = stored ?? { began: after ?? null, after: after ?? null, length: 0 };
    this.#descriptor = openSync(name, "a");
    const { size } = fstatSync(this.#descriptor);
    if (stored === undefined && size > 0)
      throw new CommandError(`${name} has lines, but there is no ${this.#cursorFile}: name another file.`);
    if (size < this.#place.length)
      throw new CommandError(`${name} is shorter than ${this.#cursorFile} says: name another file.`);
    ftruncateSync(this.#descriptor, this.#place.length);
    if (stored === undefined) this.#store(this.#place);
  }

  /** The cursor to go on from. */
  get after(): string | undefined {
    return this.#place.after ?? undefined;
  }

  /** Appends a page. @throws a CommandError if another process has written to the file. */
  append({ bytes, next }: ChangesPage): void {
    if (next === this.#place.after) return;
    if (fstatSync(this.#descriptor).size !== this.#place.length)
      throw new CommandError(`Another process writes to ${this.#name}: end it, or name another file.`);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    fsyncSync(this.#descriptor);
    this.#store({ ...this.#place, after: next, length: this.#place.length + bytes.length });
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #readPlace(): Place | undefined {
    if (!existsSync(this.#cursorFile)) return undefined;
    const { data } = Place.safeParse(parse(readFileSync(this.#cursorFile, "utf8")));
    if (data === undefined) throw new CommandError(`${this.#cursorFile} has no cursor: name another file.`);
    return data;
  }

  /** Replaces `FILE.cursor` in one step. Both its contents and its name are on the disk before this returns. */
  #store(place: Place): void {
    const draft = `${this.#cursorFile}.part`;
    const descriptor = openSync(draft, "w");
    writeSync(descriptor, `${JSON.stringify(place)}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(draft, this.#cursorFile);
    syncFolder(path.dirname(this.#cursorFile));
    this.#place = place;
  }
}

/** Windows cannot open a folder, and needs no sync of its names. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
