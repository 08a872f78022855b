import { Broken } from "./expect.ts";
import { type Section, Skipped, type Suite } from "./suite.ts";

export interface Result {
  /** The document and the section: `interface, 4.2`. */
  section: string;
  /** The sentence of the contract. */
  rule: string;
  outcome: "good" | "broken" | "skipped";
  /** Why it is broken or was skipped. */
  why?: string;
}

interface RunOptions {
  signal: AbortSignal;
  /** How long to repeat the check of a rule that does not hold. Replicas lag behind the feed. */
  patienceMs: number;
  /** Checks only the sections whose name begins with this text. */
  only?: string | undefined;
  onSection?: (section: string, results: readonly Result[]) => void;
}

const RECHECK_INTERVAL_MS = 500;

/** Checks the sections one after the other. After each, deletes the records that it has fed. */
export async function runSections(
  suite: Suite,
  sections: readonly ((suite: Suite) => Promise<Section>)[],
  options: RunOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const makeSection of sections) {
    const section = await makeSection(suite);
    if (!section.section.startsWith(options.only ?? "")) continue;
    const sectionResults = await checkSection(suite, section, options);
    results.push(...sectionResults);
    options.onSection?.(section.section, sectionResults);
    await suite.deleteFedRecords();
  }
  return results;
}

async function checkSection(
  suite: Suite,
  { section, rulesWithoutFeeding = {}, lines = [], rulesWithFeeding = {} }: Section,
  options: RunOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [rule, check] of Object.entries(rulesWithoutFeeding))
    results.push({ section, rule, ...(await outcomeOf(() => check(rule), suite, options)) });
  const feedLines = async () => {
    if (lines.length > 0) await suite.feed(...lines);
  };
  const feedResult = await outcomeOf(feedLines, suite, { ...options, patienceMs: 0 });
  for (const [rule, check] of Object.entries(rulesWithFeeding)) {
    const wasFed = feedResult.outcome === "good";
    results.push({ section, rule, ...(wasFed ? await outcomeOf(() => check(rule), suite, options) : feedResult) });
  }
  return results;
}

async function outcomeOf(
  check: () => Promise<void>,
  suite: Suite,
  { patienceMs, signal }: RunOptions,
): Promise<Omit<Result, "section" | "rule">> {
  for (const deadline = performance.now() + patienceMs; ; await suite.http.sleep(RECHECK_INTERVAL_MS)) {
    try {
      await check();
      return { outcome: "good" };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Skipped) return { outcome: "skipped", why: error.message };
      // Also a TypeError means that the rule is broken: the answer lacks a part that the check reads.
      const why = error instanceof Broken ? error.message : String(error);
      const [line = ""] = /sections\/[\w-]+\.ts:\d+/.exec((error as Error).stack ?? "") ?? [];
      if (performance.now() >= deadline) return { outcome: "broken", why: `${why} (${line})` };
    }
  }
}
