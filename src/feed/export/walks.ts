import { LINE_LIMIT } from "../../http/limits.ts";
import { EXPORTED_KINDS } from "../records/index.ts";
import { columnTypes, type Kind, keyColumns, tableName, type Way } from "../records/kind.ts";
import { program } from "../records/program.ts";
import { deletionReaderOf, type Reader, readerOf } from "./fields.ts";

/** Rows that an export reads in the order of an index, so that its last page costs what the first does. */
export interface ExportWalk {
  /** Its name in a cursor. */
  name: string;
  record: string;
  table: Kind["table"];
  /** What else a line is made of: a join. */
  join: string;
  /** The columns of the order, an index or the primary key, and whether each holds texts or numbers. */
  order: readonly { column: string; type: "string" | "number" }[];
  /** Which rows are read: a condition that the index of the order is restricted to. */
  when: string;
  /** Which rows make no line. They are read like the others, so that a page of them costs no more. */
  leftOut: string | undefined;
  /** The most lines on a page. */
  lines: number;
  /** Whether so many lines can be more than D1 should send. */
  isLarge: boolean;
  /** An expression for the bytes of a line beside the texts of its row, where a page must look at these before it is read. */
  moreBytes: string | undefined;
  /** The field with the ids of a list. */
  list: string | undefined;
  reader: Reader;
}

/** What an export ends with: the clock of messages. */
export const PROGRAM = program.record;

/**
 * All that an export reads, in its order: the records of each kind after those that they refer to, with the deleted ones
 * among them; then the lines that delete these again, because nothing may refer to an erased customer; at last the clock
 * (docs/contract/export.md, 2).
 */
export const WALKS: readonly ExportWalk[] = [
  ...EXPORTED_KINDS.flatMap(recordWalks),
  ...EXPORTED_KINDS.toReversed().flatMap(deletionWalks),
  ...recordWalks(program),
];

/** The kinds by which an export can be restricted. */
export const EXPORTED = [...EXPORTED_KINDS, program].map(({ record }) => record);

function recordWalks(kind: Kind): ExportWalk[] {
  const reader = readerOf(kind);
  return (kind.ways ?? [{}]).map((way, index) => ({
    ...walkOf(kind, way, reader),
    name: `${kind.record} ${index + 1}`,
    isLarge: kind.large !== undefined,
    moreBytes: kind.large?.moreBytes,
    list: kind.list?.field,
  }));
}

function deletionWalks(kind: Kind): ExportWalk[] {
  if (kind.deletion === undefined) return [];
  const { column, is } = kind.deletion;
  const walk = walkOf(kind, { when: `${tableName(kind)}.${column} = ${is}` }, deletionReaderOf(kind));
  return [{ ...walk, name: `${kind.record} deleted` }];
}

function walkOf({ record, table: own }: Kind, way: Way, reader: Reader): Omit<ExportWalk, "name"> {
  const { table = own, order = orderOf({ table }), when = "1", join = "", leftOut } = way;
  const types = columnTypes({ table });
  return {
    record,
    table,
    join,
    order: order.map((column) => ({ column, type: types.get(column) ?? "string" })),
    when,
    leftOut,
    lines: LINE_LIMIT,
    isLarge: false,
    moreBytes: undefined,
    list: undefined,
    reader,
  };
}

/** The integer key of the table, if it has one; else what its primary key is. */
function orderOf(of: Pick<Kind, "table">): readonly string[] {
  return columnTypes(of).has("key") ? ["key"] : keyColumns(of);
}
