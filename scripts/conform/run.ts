import { Broken, Skipped } from "./outcome.ts";
import type { Section, Suite } from "./suite.ts";

export interface Result {
  /** The document and the section: `interface, 4.2`. */
  section: string;
  /** The behaviour that the rule asks for. */
  rule: string;
  outcome: "good" | "broken" | "skipped";
  /** Why it is broken or was skipped. */
  why?: string;
}

type Outcome = Pick<Result, "outcome" | "why">;

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
    if (!section.name.startsWith(options.only ?? "")) continue;
    const sectionResults = await checkSection(suite, section, options);
    results.push(...sectionResults);
    options.onSection?.(section.name, sectionResults);
    await suite.deleteFedRecords();
  }
  return results;
}

async function checkSection(suite: Suite, { name, lines, rules }: Section, options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  const feedLines = async () => {
    await suite.feed(...lines);
  };
  let feeding: Outcome | null = null;
  for (const { title, needsLines, check } of rules) {
    if (needsLines) feeding ??= await outcomeOf(feedLines, suite, { ...options, patienceMs: 0 });
    const obstacle = feeding?.outcome === "good" ? null : feeding;
    results.push({ section: name, rule: title, ...(obstacle ?? (await outcomeOf(check, suite, options))) });
  }
  return results;
}

async function outcomeOf(
  check: () => Promise<void>,
  suite: Suite,
  { patienceMs, signal }: RunOptions,
): Promise<Outcome> {
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
