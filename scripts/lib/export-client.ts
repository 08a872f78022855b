import { PatientClient, refusalOf } from "./attempts.ts";
import { linkOf } from "./call.ts";
import { CommandError } from "./project.ts";

/** A page of an export: lines that one feed request takes. */
export interface Page {
  bytes: Buffer;
  lines: number;
  /** How many feed requests the database had committed. */
  version: string;
}

export interface ExportSource {
  url: string;
  token: string;
  /** The kinds of record; left out: all. */
  only?: readonly string[] | undefined;
  /** The customer whom all lines are about; left out: everybody. */
  customer?: string | undefined;
}

const ANSWER_WITHIN_MS = 60_000;
const NEWLINE = 0x0a;

/**
 * All pages of an export, one after the other. A page that could not be had is asked for again.
 * @throws a CommandError that says why it cannot go on, or the reason of the signal.
 */
export async function* exportPages(source: ExportSource, signal: AbortSignal): AsyncGenerator<Page> {
  const first = new URL("/api/v1/feed", source.url);
  if (source.only !== undefined) first.searchParams.set("record", source.only.join(","));
  if (source.customer !== undefined) first.searchParams.set("customer_id", source.customer);
  const client = new PatientClient(ANSWER_WITHIN_MS, signal);
  const request = { headers: { Authorization: `Bearer ${source.token}` }, signal };
  for (let url: URL | null = first; url !== null; ) {
    const answer = await client.ask(url, request);
    signal.throwIfAborted();
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    const { bytes, headers } = answer;
    const version = headers.get("X-Feed-Version");
    // Such as an app's page, or a login page, which would replace a good file.
    if (version === null) throw new CommandError(`This is no export: ${first.href} answers with something else.`);
    yield { bytes, lines: countLines(bytes), version };
    const next: string | undefined = linkOf({ headers });
    // The service may know itself by another name than the one that it is called by here.
    url = next === undefined ? null : new URL(new URL(next).search, first);
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
