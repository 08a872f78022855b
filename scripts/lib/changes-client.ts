import { setTimeout as sleep } from "node:timers/promises";
import { LINE_LIMIT, NDJSON } from "../../src/http/limits.ts";
import { linkOf } from "./call.ts";
import { type Answer, isTemporary, patientFetch, refusalOf } from "./patient-client.ts";
import { CommandError } from "./project.ts";

/** A page of the changes: whole lines, each with its `version`. */
export interface ChangesPage {
  bytes: Buffer;
  lines: number;
  /** The cursor after this page. */
  next: string;
}

export interface ChangesSource {
  url: string;
  token: string;
  /** A cursor, or `first`. Left out: now. */
  after: string | undefined;
  /** Whether to wait for more changes at the end, and for a service that is away. */
  follows: boolean;
}

const ANSWER_WITHIN_MS = 60_000;
const LONGEST_WAIT_MS = 300_000;
const WHAT_TO_DO = `Changes after this cursor may be missing, so this file ends here. Take an export, which prints a cursor, and begin another file:
  npm run export -- EXPORT
  npm run changes -- NEW-FILE --after CURSOR`;

/** The waits of a follower, in milliseconds. */
const PAUSES = {
  /** After a page that is not full: each page reads the primary. */
  betweenPages: 1_000,
  /** After the last page. */
  atEnd: 5_000,
};

/**
 * The changes after a cursor, page by page; a follower's never end. @throws a CommandError if the service refuses, or the
 * signal's reason if it aborts.
 */
export async function* changesPages(
  { url, token, after, follows }: ChangesSource,
  signal: AbortSignal,
): AsyncGenerator<ChangesPage> {
  const address = new URL("/api/v1/feed/changes", url);
  const send = patientFetch(ANSWER_WITHIN_MS, signal);
  const request = { headers: { Authorization: `Bearer ${token}` }, signal };
  for (let cursor = after; ; ) {
    if (cursor !== undefined) address.searchParams.set("after", cursor);
    const answer = await untilAnswered(() => send(address, request), { follows, signal });
    if (answer.status === 410) throw new CommandError(WHAT_TO_DO);
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    const page = pageOf(answer, address);
    yield page;
    const isLast = page.next === cursor;
    cursor = page.next;
    if (isLast && !follows) return;
    if (follows && page.lines < LINE_LIMIT)
      await sleep(isLast ? PAUSES.atEnd : PAUSES.betweenPages, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Sends a request. A follower sends it again as long as no answer comes or the service is busy, and says so once. */
async function untilAnswered(
  send: () => Promise<Answer>,
  { follows, signal }: { follows: boolean; signal: AbortSignal },
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send();
    signal.throwIfAborted();
    if (!follows || !isTemporary(answer)) {
      if (tries > 1) console.error("The service answers again.");
      return answer;
    }
    if (tries === 1) console.error(`${refusalOf(answer)} Waiting …`);
    const waitMs = Math.min(Math.max(answer.retryAfterMs, PAUSES.atEnd), LONGEST_WAIT_MS);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** @throws a CommandError if the answer is another page, such as a login page, which must not get into the file. */
function pageOf({ bytes, headers }: Answer, address: URL): ChangesPage {
  const link = linkOf({ headers });
  const next = link === undefined ? null : new URL(link).searchParams.get("after");
  const isWhole = bytes.length === 0 || bytes.at(-1) === "\n".charCodeAt(0);
  if (next === null || headers.get("Content-Type") !== NDJSON || !isWhole)
    throw new CommandError(`These are no changes: ${address.origin}${address.pathname} answers with something else.`);
  return { bytes, lines: bytes.toString("latin1").split("\n").length - 1, next };
}
