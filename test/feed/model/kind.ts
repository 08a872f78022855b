import type { Tables } from "./tables.ts";

export type ModelLine = Record<string, unknown> & { record: string; deleted?: boolean };

/** A request as a kind looks at it: `after` is what the request makes of `before`, refused or not. */
export interface Request {
  lines: readonly ModelLine[];
  before: Tables;
  after: Tables;
  /** The second in which it is applied. */
  now: string;
}

/** The rules of one kind of record (docs/contract/feed.md). */
export interface ModelKind {
  /** What tells its records apart. */
  keyOf: (line: ModelLine) => unknown;
  isEvent?: true;
  /** Whether it belongs to no account. */
  isGlobal?: true;
  /**
   * Writes a line into `after`, unless it refers to something that is not there or would change a fixed field: then
   * the request is refused, and no other line finds what this one would have written.
   */
  write: (line: ModelLine, request: Request) => void;
  /** Deletes; false where there was nothing to delete. */
  remove?: (line: ModelLine, tables: Tables) => boolean;
  /** The accounts that a line touches; undefined where something is not stored. */
  accounts?: (line: ModelLine, request: Request) => (string | undefined)[];
  /** The fields of a line that are wrong once the whole request is applied. */
  badFields: (line: ModelLine, request: Request, number: number) => string[];
}

export const text = (value: unknown) => String(value);
export const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** The names of the fields that are wrong. */
export function wrong(fields: Record<string, boolean>): string[] {
  return Object.keys(fields).filter((field) => fields[field]);
}

/** Whether what is stored has another value than the line in one of these fields, which are fixed. */
export function changes<Row extends object>(
  stored: Row | undefined,
  line: ModelLine,
  ...fixed: (keyof Row & string)[]
): boolean {
  return stored !== undefined && fixed.some((field) => stored[field] !== line[field]);
}

export function softDelete(row: { deleted: number } | undefined): boolean {
  if (row === undefined || row.deleted === 1) return false;
  row.deleted = 1;
  return true;
}
