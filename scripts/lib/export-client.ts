import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, ATTEMPTS, ask, parse, waitBefore } from "./attempts.ts";
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
}

const ANSWER_WITHIN_MS = 60_000;
const NEWLINE = 0x0a;

/**
 * All pages of an export, one after the other. A page that could not be had is asked for again.
 * @throws a CommandError that says why it cannot go on.
 */
export async function* exportPages(source: ExportSource, signal: AbortSignal): AsyncGenerator<Page> {
  const first = new URL("/api/v1/feed", source.url);
  if (source.only !== undefined) first.searchParams.set("record", source.only.join(","));
  let isThere = false;
  for (let url: URL | null = first; url !== null && !signal.aborted; ) {
    const answer = await askPatiently(url);
    if (answer === null) return;
    yield {
      bytes: answer.bytes,
      lines: countLines(answer.bytes),
      version: answer.headers.get("X-Feed-Version") ?? "",
    };
    const next: string | undefined = /<([^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    // The service may know itself by another name than the one that it is called by here.
    url = next === undefined ? null : new URL(new URL(next).search, first);
  }

  /** The answer, or null where it was told to stop. */
  async function askPatiently(url: URL): Promise<Answer | null> {
    for (let attempt = 1; ; attempt += 1) {
      const headers = { Authorization: `Bearer ${source.token}` };
      const answer = await ask(url, { headers, signal }, ANSWER_WITHIN_MS);
      if (signal.aborted) return null;
      isThere ||= answer.connected;
      if (answer.status === 200) return answer;
      // Nobody was ever there: more likely a wrong address than a service that is being restarted.
      if (!answer.mayRetry || !isThere || attempt === ATTEMPTS) throw new CommandError(refusal(answer));
      const stopped = await sleep(waitBefore(attempt, answer), false, { signal }).catch(() => true);
      if (stopped) return null;
    }
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

function refusal({ status, bytes }: Answer): string {
  const text = bytes.toString();
  if (status === 0) return `The service cannot be reached (${text}). Is it running, and is --url right?`;
  const body = parse(text) as { message?: string; messages?: Record<string, string[]> } | string;
  const said = typeof body === "string" ? body : (body.message ?? JSON.stringify(body.messages ?? body));
  return `The service answered ${status}: ${said}`;
}
