import { Broken } from "./expect.ts";
import { type Section, Skipped, type Suite } from "./suite.ts";

export interface Result {
  /** The section: `interface, 4.2`. */
  cited: string;
  /** The sentence of the contract. */
  rule: string;
  end: "good" | "broken" | "skipped";
  /** Why it is broken or was skipped. */
  why?: string;
}

export interface RunOptions {
  signal: AbortSignal;
  /** For this long, a rule that does not hold is checked again: replicas lag behind the feed. */
  patienceMs: number;
  /** Checks only sections whose `cited` begins with this. */
  only?: string | undefined;
  onSection?: (cited: string, results: readonly Result[]) => void;
}

const CHECKED_AGAIN_AFTER_MS = 500;

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
  for (const [rule, check] of Object.entries(reads))
    results.push({ cited, rule, ...(await outcomeOf(() => check(rule), suite, options)) });
  const feedLines = async () => {
    if (lines.length > 0) await suite.feed(...lines);
  };
  const fed = await outcomeOf(feedLines, suite, { ...options, patienceMs: 0 });
  for (const [rule, check] of Object.entries(feeds))
    results.push({ cited, rule, ...(fed.end === "good" ? await outcomeOf(() => check(rule), suite, options) : fed) });
  return results;
}

async function outcomeOf(
  check: () => Promise<void>,
  suite: Suite,
  { patienceMs, signal }: RunOptions,
): Promise<Omit<Result, "cited" | "rule">> {
  for (const deadline = performance.now() + patienceMs; ; await suite.http.sleep(CHECKED_AGAIN_AFTER_MS)) {
    try {
      await check();
      return { end: "good" };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Skipped) return { end: "skipped", why: error.message };
      // A TypeError means that the answer has another shape than the check reads. So the rule is broken too.
      const why = error instanceof Broken ? error.message : String(error);
      const [line = ""] = /sections\/[\w-]+\.ts:\d+/.exec((error as Error).stack ?? "") ?? [];
      if (performance.now() >= deadline) return { end: "broken", why: `${why} (${line})` };
    }
  }
}
