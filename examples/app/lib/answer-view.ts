import { type FailedResult, type Failure, LoyaltyError } from "loyalty-edge/client";
import type { View } from "./app.ts";
import { type Child, h } from "./dom.ts";
import { replaceContent } from "./focus.ts";

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;

interface ViewOptions<Answer> {
  /** Sends a request, or reads all pages of a list; null if there is nothing to request yet. */
  ask: (signal: AbortSignal) => Promise<Answer | FailedResult> | null;
  /** Renders the answer. An empty list shows `empty` instead. */
  show: (answer: Answer, isFirst: boolean) => Child[];
  /** Says what will come here. */
  empty: string;
  /** What stands in for the first answer, in its size, so that nothing jumps. */
  skeleton?: HTMLElement;
}

/**
 * Creates a part of the page that shows answers of the service until `endSignal` is aborted. It shows that it waits, is
 * empty or has failed, and retries by itself. The content stays until the next answer. Only the last request counts.
 */
export function answerView<Answer extends { status: true }>(
  endSignal: AbortSignal,
  { ask, show, empty, skeleton = skeletonOf("line", 5) }: ViewOptions<Answer>,
): View {
  const element = h("div", { class: "asked" }, skeleton);
  let latest = new AbortController();
  let isFirst = true;
  let failures = 0;
  /** Whether the last refresh had nothing to ask, so that the content says what will come. */
  let wasUnasked = false;
  endSignal.addEventListener("abort", () => latest.abort());

  async function refresh(): Promise<void> {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    const call = ask(signal);
    if (call !== null && wasUnasked) element.replaceChildren(skeleton);
    wasUnasked = call === null;
    element.ariaBusy = "true";
    const content = await call?.then(contentOf, (error: unknown) => (signal.aborted ? [] : contentOfError(error)));
    if (signal.aborted) return;
    replaceContent(element, ...(content ?? [note(empty)]));
    element.ariaBusy = "false";
  }

  function contentOf(answer: Answer | FailedResult): Child[] {
    if (!answer.status && answer.errorCode !== "NO_ITEMS") return retryNote(textOf(answer));
    failures = 0;
    const content = answer.status ? show(answer, isFirst) : [];
    isFirst = false;
    return content.length > 0 ? content : [note(empty)];
  }

  function contentOfError(error: unknown): Child[] {
    if (!(error instanceof LoyaltyError)) throw error;
    return retryNote(error.failure === null ? "The service does not answer." : textOf(error.failure));
  }

  /** A note about a failure. Retries after a wait, and at once when the browser is online again. */
  function retryNote(text: string): Child[] {
    const { signal } = latest;
    const retry = () => void refresh();
    const timer = setTimeout(retry, Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS));
    failures += 1;
    signal.addEventListener("abort", () => clearTimeout(timer));
    addEventListener("online", retry, { signal });
    return [note(text, h("button", { type: "button", click: retry }, "Try again"))];
  }

  return { element, refresh };
}

/** Grey shapes in the places of lines or cards that are still to come. */
export function skeletonOf(shape: "line" | "card", count: number): HTMLElement {
  const shapes = Array.from({ length: count }, () => h("div", { class: `ghost ${shape}` }));
  return h("div", { class: shape === "card" ? "waiting cards" : "waiting" }, ...shapes);
}

/** Reads all items of a list, page by page. */
export async function readAll<Entry>(entries: AsyncIterable<Entry>): Promise<{ status: true; items: Entry[] }> {
  const items: Entry[] = [];
  for await (const entry of entries) items.push(entry);
  return { status: true, items };
}

export function note(text: string, ...more: Child[]): HTMLElement {
  return h("div", { class: "note" }, h("p", {}, text), ...more);
}

/** The error text of a failure. */
export function textOf({ message, messages }: Failure): string {
  const fieldErrors = Object.entries(messages ?? {}).map(([field, texts]) => `${field} ${texts.join(", ")}`);
  return message ?? fieldErrors.join("; ");
}
