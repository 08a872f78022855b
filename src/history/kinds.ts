import { openCampaignEarnings, openPlayTotals, openStoreBalances, openTeamTokens } from "../db/derived/totals.ts";
import { type ExportWalk, WALKS } from "../feed/export/walks.ts";
import { KINDS } from "../feed/records/index.ts";
import { tableName } from "../feed/records/kind.ts";

/** How the old events of a kind leave the database. */
export interface SealedKind {
  record: string;
  table: string;
  /** The column with when an event happened. */
  time: string;
  /** How events are read back into lines. */
  walk: ExportWalk;
  /** How many events a step looks at, in the order of their ids: for less than 50 ms. */
  lookedAt: number;
  /** Which of the old events may leave: a condition on `table`; left out: all. */
  when: string;
  /** What a segment's events add up to, by name: expressions over them. */
  sums: Readonly<Record<string, string>>;
  /** Add the events that meet a condition to the openings of their totals. */
  openings: readonly (typeof openStoreBalances)[];
}

type Leaving = Partial<Pick<SealedKind, "lookedAt" | "when" | "sums" | "openings"> & Pick<ExportWalk, "lines">>;

const LEAVING: Readonly<Record<string, Leaving>> = {
  balance_entry: {
    sums: {
      balance: "sum(amount)",
      earned: "sum(iif(campaign_key IS NOT NULL AND amount > 0, amount, 0))",
    },
    openings: [openStoreBalances, openCampaignEarnings],
  },
  token_earning: { sums: { tokens: "sum(tokens)" }, openings: [openTeamTokens] },
  play: {
    sums: { runs: "sum(runs)", hits: "sum(hits)", doubles: "sum(doubles)", triples: "sum(triples)" },
    openings: [openPlayTotals],
  },
  // Those of the two newest seconds of a group that is not removed stay: they are shown, and compared with what comes. SQLite reads the bodies of
  // those that it looks at: 20,000 of the longest take it more than 200 ms. To measure and send one takes still longer.
  message: {
    lookedAt: 2_000,
    lines: 500,
    when: `sent_at < (
      SELECT iif(id IS NULL, 'never', earlier_at) FROM message_groups WHERE message_groups.key = messages.group_key
    )`,
  },
};

/** Every kind of event. */
export const SEALED_KINDS: readonly SealedKind[] = KINDS.flatMap(({ record, timeField }) => {
  const walk = WALKS.find((one) => one.record === record);
  if (timeField === undefined || walk === undefined) return [];
  const { lookedAt = 20_000, lines = walk.lines, when = "true", sums = {}, openings = [] } = LEAVING[record] ?? {};
  // An export leaves out the messages of removed groups.
  const read = { walk: { ...walk, lines, leftOut: undefined }, lookedAt, when };
  return [{ record, table: tableName(walk), time: timeField, ...read, sums, openings }];
});
