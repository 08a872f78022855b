import { messageClock } from "../../db/tables/index.ts";
import { LINE_LIMIT } from "../../http/limits.ts";
import type { Walk } from "../records/both-ways.ts";
import { KINDS } from "../records/index.ts";
import { columnTypes, type Kind, tableName } from "../records/kind.ts";
import { deletionReaderOf, type Reader, readerOf } from "../records/read-back.ts";

/** Rows that an export reads in the order of an index, so that its last page costs what the first does. */
export interface ExportWalk {
  /** Its name in a cursor. */
  name: string;
  record: string;
  table: string;
  join: string;
  /** The columns of the order, and whether each holds texts or numbers. */
  order: readonly { column: string; type: "string" | "number" }[];
  when: string;
  /** Which rows make no line: a condition. */
  leftOut: string;
  /** The most lines on a page. */
  lines: number;
  /** The bytes of a line as an expression, where a page must look at them before it is read. */
  bytes: string | undefined;
  /** The field with the ids of a list. */
  list: string | undefined;
  reader: Reader;
}

/** What most walks say of how much a page holds. */
const PLAIN = { join: "", when: "1", leftOut: "0", lines: LINE_LIMIT, bytes: undefined, list: undefined };

/** What an export has besides the kinds that the feed takes: the clock of messages. */
export const PROGRAM = "program";

/**
 * All that an export reads, in its order: the records of each kind after those that they refer to, with the deleted ones
 * among them; then the lines that delete these again, because nothing may refer to an erased customer;
 * at last the clock (docs/contract/export.md, 2).
 */
export const WALKS: readonly ExportWalk[] = [
  ...KINDS.flatMap(recordWalks),
  ...KINDS.toReversed().flatMap(deletionWalks),
  programWalk(),
];

/** The kinds by which an export can be restricted. */
export const EXPORTED = [...KINDS.map(({ record }) => record), PROGRAM];

function recordWalks(kind: Kind): ExportWalk[] {
  const { walks = [{ order: keyOf(kind) }], lines = LINE_LIMIT, bytes } = kind.export ?? {};
  const reader = readerOf(kind);
  return walks.map((walk, index) => ({
    ...walkOf(kind, walk, { name: `${kind.record} ${index + 1}`, reader }),
    lines,
    bytes,
    list: kind.list?.field,
  }));
}

function deletionWalks(kind: Kind): ExportWalk[] {
  if (kind.type === "event" || kind.deletion === undefined) return [];
  const { column, live } = kind.deletion;
  const walk = { order: keyOf(kind), when: `${tableName(kind)}.${column} = ${1 - live}` };
  return [walkOf(kind, walk, { name: `${kind.record} deleted`, reader: deletionReaderOf(kind) })];
}

function walkOf(
  kind: Kind,
  { order, when = "1", join = "", leftOut = "0", table = kind.table }: Walk,
  { name, reader }: { name: string; reader: Reader },
): ExportWalk {
  const types = columnTypes({ table });
  return {
    ...PLAIN,
    name,
    record: kind.record,
    table: tableName({ table }),
    join,
    leftOut,
    order: order.map((column) => ({ column, type: types.get(column) ?? "string" })),
    when,
    reader,
  };
}

/** The integer key of the table, if it has one; else what its primary key is. */
function keyOf(kind: Kind): readonly string[] {
  if (columnTypes(kind).has("key")) return ["key"];
  return kind.type === "state" ? kind.key : kind.keyFields;
}

function programWalk(): ExportWalk {
  return {
    ...PLAIN,
    name: PROGRAM,
    record: PROGRAM,
    table: tableName({ table: messageClock }),
    order: [{ column: "id", type: "number" }],
    reader: {
      columns: () => "stamp AS message_stamp, clock_said AS message_clock_said",
      names: ["message_stamp", "message_clock_said"],
      few: [],
      toLine: ({ message_stamp, message_clock_said }) => ({ record: PROGRAM, message_stamp, message_clock_said }),
    },
  };
}
