import { LEVELS } from "../../db/derived/totals.ts";
import { memberships, messageGroups } from "../../db/tables/index.ts";
import { LINE_LIMIT } from "../../http/limits.ts";
import { EXPORTED_KINDS } from "../records/index.ts";
import { columnTypes, type Kind, keyColumns, tableName } from "../records/kind.ts";
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

/** A walk over a kind's own table, in the order of its key, unless it says otherwise. */
interface Way {
  table?: Kind["table"];
  order?: readonly string[];
  when?: string;
  join?: string;
  leftOut?: string;
}

const TOKEN_OPENINGS = LEVELS.map((level) => `memberships.tokens_${level}_opening`);

/** The ways in which the records of a kind are read, one after the other. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  // A member comes after the referrer: docs/decisions.md says why two rounds are enough for most programs.
  membership: [
    { when: `${memberships.round.name} = 0` },
    {
      order: [memberships.round, memberships.store_key, memberships.customer_key].map(({ name }) => name),
      when: `${memberships.round.name} > 0`,
    },
  ],
  message_group: [{ leftOut: "message_groups.id IS NULL" }],
  // Restored in this order, the messages that a group shows are again the last of their seconds.
  message: [
    {
      join: "CROSS JOIN message_groups ON message_groups.key = messages.group_key",
      leftOut: "message_groups.id IS NULL OR messages.id IN (message_groups.earlier_id, message_groups.newest_id)",
    },
    messagesShown("earlier_id"),
    messagesShown("newest_id"),
  ],
  balance_opening: [openingsOf("balance_entry", "store_balances.balance_opening IS NULL")],
  earned_opening: [openingsOf("balance_entry", "campaign_stores.earned_opening = 0")],
  token_opening: [openingsOf("token_earning", `(${TOKEN_OPENINGS}) IS (0, 0, 0, 0, 0)`)],
  play_opening: [openingsOf("play", "play_totals.runs_opening IS NULL")],
};

/** Where no event of the kind has left there is no opening, and its table is not read. */
function openingsOf(events: string, leftOut: string): Way {
  return { when: `EXISTS (SELECT 1 FROM history_segments WHERE kind = '${events}')`, leftOut };
}

function messagesShown(column: "earlier_id" | "newest_id"): Way {
  return {
    table: messageGroups,
    join: `LEFT JOIN messages ON messages.id = message_groups.${column}`,
    leftOut: "message_groups.id IS NULL OR messages.id IS NULL",
  };
}

/** The kinds of which 2,000 lines can be more than D1 should send. */
const LARGE = new Set(["employee", "customer_coupon", "message", "message_group"]);

/** The kinds whose lines differ so much that their sizes are looked at first. A store's id takes ten times its key. */
const MORE_BYTES: Readonly<Record<string, string>> = {
  account: "0",
  store: "0",
  customer: "0",
  coupon: "0",
  campaign: "9 * coalesce(octet_length(campaigns.listed_stores), 0)",
};

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
  return (WAYS[kind.record] ?? [{}]).map((way, index) => ({
    ...walkOf(kind, way, reader),
    name: `${kind.record} ${index + 1}`,
    isLarge: LARGE.has(kind.record) || kind.record in MORE_BYTES,
    moreBytes: MORE_BYTES[kind.record],
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
