import type { Kind } from "../../src/db/kind.ts";
import { itemsOf } from "../../src/feed/kind.ts";
import { objectOf, readLine } from "../../src/feed/lines.ts";
import { EXPORTED_KINDS } from "../../src/records/index.ts";
import { formatCount } from "./format.ts";
import { type FileLine, readNdjson } from "./ndjson-file.ts";
import { CommandError } from "./project.ts";

const STATES = new Map(EXPORTED_KINDS.filter(({ type }) => type === "state").map((kind) => [kind.record, kind]));

/**
 * The lines of an export that bring back states: of the records with these ids; and of the customers with these ids, also
 * their memberships, registrations, friendships, blocks, groups and coupons. Lines that delete are among them.
 */
export async function* pickLines(file: string, ids: ReadonlySet<string>): AsyncGenerator<Buffer> {
  const counts = new Map<string, number>();
  const missing = new Set(ids);
  for await (const line of readNdjson(file)) {
    const { record, named } = idsIn(line);
    if (!named.some((id) => ids.has(id))) continue;
    for (const id of named) missing.delete(id);
    counts.set(record, (counts.get(record) ?? 0) + 1);
    yield Buffer.concat([line.bytes, Buffer.from("\n")]);
  }
  if (counts.size === 0) throw new CommandError(`${file} has no line of these ids.`);
  if (missing.size > 0) console.error(`No line of ${[...missing].join(", ")}.`);
  console.error(
    [...counts].map(([record, count]) => formatCount(count, `line of ${record}`, `lines of ${record}`)).join(", "),
  );
}

/** The ids that the line of a state names: its own, and those of the customers whom it is about; none for other lines. */
function idsIn({ number, bytes }: FileLine): { record: string; named: string[] } {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  const kind = Array.isArray(object) ? undefined : STATES.get(String(object.record));
  if (kind === undefined || Array.isArray(object)) return { record: "", named: [] };
  const named = [...fieldsWithIds(kind).map((field) => object[field]), ...membersIn(kind, object)];
  return { record: kind.record, named: named.map(String) };
}

/** The field with the id of the record, and the fields with the ids of the customers whom it is about. */
function fieldsWithIds({ keyFields, references, subject }: Kind): string[] {
  const ofCustomers = references.filter(
    ({ field, key, to }) => to.record === "customer" && (keyFields.includes(field) || key === subject),
  );
  return [...(keyFields[0] === "id" ? ["id"] : []), ...ofCustomers.map(({ field }) => field)];
}

function membersIn({ list }: Kind, object: Readonly<Record<string, unknown>>): readonly unknown[] {
  return list?.of.record === "customer" ? itemsOf(list.field, object) : [];
}
