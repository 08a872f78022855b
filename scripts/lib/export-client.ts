import { linkOf } from "./call.ts";
import { patientFetch, refusalOf } from "./patient-client.ts";
import { CommandError } from "./project.ts";

/** A page of an export. It fits into one feed request. */
export interface Page {
  bytes: Buffer;
  lines: number;
  /** How many feed requests the database had committed when it answered. */
  version: string;
  /** The cursor from which a follower of the changes goes on after an export that begins with this page. */
  changes: string | undefined;
}

export interface ExportSource {
  url: string;
  token: string;
  /** Kinds of record. The default is all kinds. */
  only?: readonly string[] | undefined;
  /** The customer that all lines are about. The default is everybody. */
  customer?: string | undefined;
  /** The requests that stored the events, such as `812-815`. The default is all records. */
  request?: string | undefined;
}

/** The database changed during the export, so the export must begin again. */
export class ChangedMeanwhile extends CommandError {
  constructor() {
    super("The database has changed meanwhile: run this again.");
  }
}

const ANSWER_WITHIN_MS = 60_000;

/**
 * All pages of an export. @throws ChangedMeanwhile if old events were added up meanwhile, a CommandError if the service refuses,
 * or the signal's reason if it aborts.
 */
export async function* exportPages(source: ExportSource, signal: AbortSignal): AsyncGenerator<Page> {
  const firstUrl = new URL("/api/v1/feed", source.url);
  if (source.only !== undefined) firstUrl.searchParams.set("record", source.only.join(","));
  if (source.customer !== undefined) firstUrl.searchParams.set("customer_id", source.customer);
  if (source.request !== undefined) firstUrl.searchParams.set("request", source.request);
  const ask = patientFetch(ANSWER_WITHIN_MS, signal);
  const request = { headers: { Authorization: `Bearer ${source.token}` }, signal };
  for (let url: URL | null = firstUrl; url !== null; ) {
    const answer = await ask(url, request);
    signal.throwIfAborted();
    // A link is refused only for this reason.
    if (answer.status === 422 && url !== firstUrl) throw new ChangedMeanwhile();
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    const { bytes, headers } = answer;
    const version = headers.get("X-Feed-Version");
    // The answer may be an app's page or a login page, which must not replace a good file.
    if (version === null) throw new CommandError(`This is no export: ${firstUrl.href} answers with something else.`);
    const changesLink = linkOf({ headers }, "changes");
    const changes =
      changesLink === undefined ? undefined : (new URL(changesLink).searchParams.get("after") ?? undefined);
    yield { bytes, lines: bytes.toString("latin1").split("\n").length - 1, version, changes };
    const next: string | undefined = linkOf({ headers });
    // If the service is behind a proxy, the link may have another host than --url. So only its query is taken.
    url = next === undefined ? null : new URL(new URL(next).search, firstUrl);
  }
}
