import { PatientClient, refusalOf } from "./attempts.ts";
import { linkOf } from "./call.ts";
import { CommandError } from "./project.ts";

/** A page of an export. It fits into one feed request. */
export interface Page {
  bytes: Buffer;
  lines: number;
  /** The number of feed requests that the database had committed. */
  version: string;
}

export interface ExportSource {
  url: string;
  token: string;
  /** Kinds of record. The default is all kinds. */
  only?: readonly string[] | undefined;
  /** The customer that all lines are about. The default is everybody. */
  customer?: string | undefined;
}

const ANSWER_WITHIN_MS = 60_000;
const NEWLINE = 0x0a;

/** All pages of an export. @throws a CommandError if the service refuses, or the signal's reason if it aborts. */
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
    // The answer may be an app's page or a login page, which must not replace a good file.
    if (version === null) throw new CommandError(`This is no export: ${first.href} answers with something else.`);
    yield { bytes, lines: countLines(bytes), version };
    const next: string | undefined = linkOf({ headers });
    // The link may have another host than --url: the service may be behind a proxy.
    url = next === undefined ? null : new URL(new URL(next).search, first);
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
