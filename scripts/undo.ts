import * as z from "zod";
import { Request } from "../src/feed/requests/schema.ts";
import { toHundredths } from "../src/values/decimal.ts";
import { linkOf } from "./lib/call.ts";
import { isConfirmed, refuseNobody } from "./lib/confirm.ts";
import { type ExportSource, exportPages } from "./lib/export-client.ts";
import { sendLines } from "./lib/feed-client.ts";
import { formatCount, formatHundredths, formatNumber } from "./lib/format.ts";
import { ADDED, type EventLine, oppositeOf } from "./lib/opposite.ts";
import { newCommand, type ServiceAccess, withEnvironment, withService } from "./lib/options.ts";
import { parse, patientFetch, refusalOf } from "./lib/patient-client.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { table } from "./lib/table.ts";
import { tokenFor } from "./lib/tokens.ts";

interface Options extends ServiceAccess {
  requests?: string;
  from?: string;
  to?: string;
  subject?: string;
  whatIsLeft?: boolean;
  yes?: boolean;
}

const ANSWER_WITHIN_MS = 60_000;
const Page = z.object({ items: z.array(Request) });
type JournalRow = z.output<typeof Request>;

interface Source {
  url: string;
  token: string;
}

export const program = withService(withEnvironment(newCommand("npm run undo")), "an undo token")
  .description(
    "Take back the events that some requests stored: feed entries, earnings and plays with opposite numbers, and empty messages.",
  )
  .option("--requests <versions>", "the requests, such as 812-815, or 812,815")
  .option("--from <time>", "the requests from this time on, in UTC")
  .option("--to <time>", "the requests up to this time, in UTC")
  .option("--subject <name>", "only requests of this system: the sub of its token")
  .option("--what-is-left", "go on although some of the events may have been added up since")
  .option("--yes", "do not ask")
  .addHelpText("after", "\nMore: docs/incidents.md, docs/contract/requests.md")
  .action(undo);

async function undo(options: Options): Promise<void> {
  const source = { url: options.url, token: await tokenFor(options, "feed export") };
  refuseNobody(options.yes);
  await stoppable(async (signal) => {
    console.error("Reading what these requests stored …");
    const asked = await findRequests(source, options, signal);
    const ranges = rangesOf(asked.map(({ version }) => version));
    const found = await summarize(source, ranges, signal);
    await refuseWhatIsGone(source, { asked, found: found.lines, ...options }, signal);
    if (found.lines === 0) return console.log("These requests stored no events that are kept.");
    console.log(found.text);
    if (options.yes !== true && !(await isConfirmed(`Take back ${formatCount(found.lines, "event")}?`, signal)))
      return console.log("Nothing was sent.");
    const { committed, ignored } = await sendLines(source, opposites(eventsOf(source, ranges, signal)), { signal });
    console.log(
      `${formatCount(committed, "line")} committed: ${formatNumber(committed - ignored)} undone now, ${formatNumber(ignored)} before.`,
    );
  });
}

/** The requests to undo. @throws a CommandError if there are none, or if one of them cannot be undone. */
async function findRequests(source: Source, options: Options, signal: AbortSignal): Promise<JournalRow[]> {
  const { requests, from = "", to = "", subject = "" } = options;
  if ((requests === undefined) === (from + to + subject === ""))
    throw new CommandError("Name the requests: either --requests, or --from, --to and --subject.");
  const ranges = (requests ?? "").split(",").map(versionsIn);
  const first = Math.min(...ranges.map(([version]) => version));
  const last = Math.max(...ranges.map(([, version]) => version));
  const parameters = requests === undefined ? { from, to, subject } : { after: JSON.stringify({ version: first - 1 }) };
  const rows: JournalRow[] = [];
  for await (const row of journalRows(source, parameters, signal)) {
    if (requests !== undefined && row.version > last) break;
    const isAsked = ranges.some(([begin, end]) => begin <= row.version && row.version <= end);
    if (requests === undefined || isAsked) rows.push(row);
  }
  if (rows.length === 0) throw new CommandError("The journal has no such request.");
  const wrong = rows.find((row) => row.source === "restore" || row.source === "retention");
  if (wrong !== undefined)
    throw new CommandError(`Request ${wrong.version} is of ${wrong.source}: it cannot be undone.`);
  return rows;
}

/** The rows of the journal that the service has for these parameters, oldest first, page by page. */
async function* journalRows(
  { url, token }: Source,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<JournalRow> {
  const ask = patientFetch(ANSWER_WITHIN_MS, signal);
  const first = new URL(`/api/v1/feed/requests?${new URLSearchParams(parameters)}`, url);
  for (let next: URL | null = first; next !== null; ) {
    const answer = await ask(next, { headers: { Authorization: `Bearer ${token}` }, signal });
    signal.throwIfAborted();
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    const { data } = Page.safeParse(parse(answer.bytes.toString()));
    if (data === undefined) throw new CommandError(`This is no journal: ${first.href} answers with something else.`);
    yield* data.items;
    const link: string | undefined = linkOf(answer);
    next = link === undefined ? null : new URL(new URL(link).search, first);
  }
}

/** The first and the last version of a range. */
function versionsIn(range: string): [first: number, last: number] {
  const [, first = "", last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(range.trim()) ?? [];
  if (first === "" && range !== "")
    throw new CommandError("--requests must be like 812 or 812-815, with commas between them.");
  return [Number(first), Number(last)];
}

/** Successive versions as `812-815`. */
function rangesOf(versions: readonly number[]): string[] {
  const ranges: [number, number][] = [];
  for (const version of versions) {
    const range = ranges.at(-1);
    if (range?.[1] === version - 1) range[1] = version;
    else ranges.push([version, version]);
  }
  return ranges.map(([first, last]) => `${first}-${last}`);
}

/** The events of requests, without the redemptions that these requests also reversed, and without their reversals. */
async function* eventsOf(source: Source, ranges: readonly string[], signal: AbortSignal): AsyncGenerator<EventLine> {
  const [redeemed, reversed] = [new Set<unknown>(), new Set<unknown>()];
  for (const request of ranges)
    for await (const { id, reverses } of linesOf({ ...source, request, only: ["redemption"] }, signal))
      (reverses === null ? redeemed : reversed).add(reverses ?? id);
  const isInBoth = (id: unknown) => redeemed.has(id) && reversed.has(id);
  for (const request of ranges)
    for await (const line of linesOf({ ...source, request }, signal))
      if (line.record !== "redemption" || !isInBoth(line.reverses ?? line.id)) yield line;
}

/** The lines of an export. */
async function* linesOf(source: ExportSource, signal: AbortSignal): AsyncGenerator<EventLine> {
  for await (const { bytes } of exportPages(source, signal))
    for (const text of bytes.toString().split("\n")) if (text !== "") yield JSON.parse(text);
}

async function* opposites(events: AsyncIterable<EventLine>) {
  let number = 0;
  for await (const event of events) {
    const line = await oppositeOf(event);
    number += 1;
    if (line !== null) yield { number, bytes: Buffer.from(JSON.stringify(line)) };
  }
}

/** How many events the requests stored, and a table of them by kind and account. */
async function summarize(source: Source, ranges: readonly string[], signal: AbortSignal) {
  const accountOf = new Map<unknown, unknown>();
  for await (const { id, account_id } of linesOf({ ...source, only: ["store"] }, signal)) accountOf.set(id, account_id);
  const groups = new Map<string, { count: number; sum: bigint }>();
  let lines = 0;
  for await (const event of eventsOf(source, ranges, signal)) {
    lines += 1;
    if ((await oppositeOf(event)) === null) continue;
    const name = `${event.record}\t${accountOf.get(event.store_id ?? event.location_id) ?? "–"}`;
    const group = groups.get(name) ?? { count: 0, sum: 0n };
    const [field = ""] = ADDED[event.record] ?? [];
    groups.set(name, { count: group.count + 1, sum: group.sum + BigInt(toHundredths(String(event[field] ?? "0"))) });
  }
  const rows = [...groups].sort().map(([name, { count, sum }]) => {
    const [record = "", account = ""] = name.split("\t");
    return [record, account, formatNumber(count), ADDED[record] === undefined ? "" : formatHundredths(sum)];
  });
  return { lines, text: table(["kind", "account", "events", "sum"], rows) };
}

/** Events that were added up are no longer kept, so they cannot be taken back. */
async function refuseWhatIsGone(
  source: Source,
  { asked, found, whatIsLeft }: { asked: readonly JournalRow[]; found: number; whatIsLeft?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const lines = asked.reduce((sum, row) => sum + row.lines, 0);
  if (whatIsLeft || found === lines) return;
  const after = JSON.stringify({ version: asked[0]?.version });
  for await (const row of journalRows(source, { after }, signal))
    if (row.source === "retention")
      throw new CommandError(
        `Old events were added up since, and ${formatNumber(lines - found)} of the ${formatNumber(lines)} lines are no events that are kept. ` +
          "Take back the others: --what-is-left.",
      );
}
