import { Broken } from "./expect.ts";
import { type Section, Skipped, type Suite } from "./suite.ts";

export interface Result {
  /** `interface, 4.2` */
  cited: string;
  /** The rule, in the words of the contract. */
  says: string;
  end: "good" | "broken" | "skipped";
  /** Why it is broken or was skipped. */
  why?: string;
}

export interface RunOptions {
  signal: AbortSignal;
  /** How long a rule may take to hold. Replicas lag behind what was fed. */
  patienceMs: number;
  /** Runs only sections whose `cited` begins with this. */
  only?: string | undefined;
  onSection?: (cited: string, results: readonly Result[]) => void;
}

const AGAIN_MS = 500;

/** Checks the rules of each section, one after the other, and deletes what each has fed. */
export async function runSections(
  suite: Suite,
  sections: readonly ((suite: Suite) => Promise<Section>)[],
  options: RunOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const make of sections) {
    const section = await make(suite);
    if (!section.cited.startsWith(options.only ?? "")) continue;
    const found = await checkSection(suite, section, options);
    results.push(...found);
    options.onSection?.(section.cited, found);
    await suite.deleteWritten();
  }
  return results;
}

async function checkSection(
  suite: Suite,
  { cited, reads = {}, lines = [], feeds = {} }: Section,
  options: RunOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [says, check] of Object.entries(reads))
    results.push({ cited, says, ...(await outcomeOf(() => check(says), suite, options)) });
  const feed = async () => void (lines.length > 0 && (await suite.feed(...lines)));
  const fed = await outcomeOf(feed, suite, { ...options, patienceMs: 0 });
  for (const [says, check] of Object.entries(feeds))
    results.push({ cited, says, ...(fed.end === "good" ? await outcomeOf(() => check(says), suite, options) : fed) });
  return results;
}

/** Checks a rule again and again until it holds, or until `patienceMs` are over. */
async function outcomeOf(
  check: () => Promise<void>,
  suite: Suite,
  { patienceMs, signal }: RunOptions,
): Promise<Omit<Result, "cited" | "says">> {
  for (const deadline = performance.now() + patienceMs; ; await suite.http.sleep(AGAIN_MS)) {
    try {
      await check();
      return { end: "good" };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Skipped) return { end: "skipped", why: error.message };
      // A check that throws a TypeError got an answer of another shape than it reads: the service broke the rule.
      const why = error instanceof Broken ? error.message : String(error);
      const [place = ""] = /sections\/[\w-]+\.ts:\d+/.exec((error as Error).stack ?? "") ?? [];
      if (performance.now() >= deadline) return { end: "broken", why: `${why} (${place})` };
    }
  }
}
