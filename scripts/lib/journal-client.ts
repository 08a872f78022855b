import * as z from "zod";
import { Request } from "../../src/feed/requests/schema.ts";
import { linkOf } from "./call.ts";
import { parse, patientFetch, refusalOf } from "./patient-client.ts";
import { CommandError } from "./project.ts";

const ANSWER_WITHIN_MS = 60_000;
const Page = z.object({ items: z.array(Request) });

/** The rows of the journal that the service has for these parameters, oldest first, page by page. */
export async function* journalRows(
  { url, token }: { url: string; token: string },
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<z.output<typeof Request>> {
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
