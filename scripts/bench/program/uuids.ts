import { hash } from "node:crypto";
import { KINDS } from "../../../src/feed/records/index.ts";

/** The fields that hold ids, their own or those of others, by kind. */
const ID_FIELDS = new Map(
  KINDS.map(({ record, keyFields, references, list }) => {
    const fields = new Set([...keyFields, ...Object.keys(references), ...(list === undefined ? [] : [list.field])]);
    // An account's id is digits, by the contract.
    return [record, [...fields].filter((field) => record !== "account" && field !== "account_id")];
  }),
);

/** The line of the feed with a UUID in the place of each id; a line that cannot be read stays as it is. */
export function withUuids(text: string): string {
  const line = parsed(text);
  for (const field of ID_FIELDS.get(String(line?.record)) ?? []) {
    if (line?.[field] !== undefined) line[field] = replaced(line[field]);
  }
  return line === undefined ? text : JSON.stringify(line);
}

function replaced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaced);
  // Nobody is named by an empty text, and all stores by "all".
  const isId = typeof value === "number" || (typeof value === "string" && value !== "" && value !== "all");
  return isId ? uuidOf(String(value)) : value;
}

/** The same UUID for the same id, in an order that has nothing to do with that of the ids: as real random ones. */
function uuidOf(id: string): string {
  const digits = hash("sha256", id, "hex");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
