import { type FailedResult, type Failure, LoyaltyError } from "loyalty-edge/client";
import type { View } from "./app.ts";
import { type Child, h } from "./dom.ts";

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;

interface Question<Answer> {
  /** Sends the request, or reads a whole list; null if there is nothing to request yet. */
  ask: (signal: AbortSignal) => Promise<Answer | FailedResult> | null;
  /** Renders the answer. An empty list shows `empty` instead. */
  show: (answer: Answer, isFirst: boolean) => Child[];
  empty: string;
}

/**
 * Creates a part of the page that shows answers of the service until `ended` is aborted. It shows when it waits, is
 * empty or has failed, and retries by itself. The old content stays until the next answer. Only the last request counts.
 */
export function asked<Answer extends { status: true }>(
  ended: AbortSignal,
  { ask, show, empty }: Question<Answer>,
): View {
  const element = h("div", { class: "asked" }, h("div", { class: "waiting" }));
  let latest = new AbortController();
  let isFirst = true;
  let failures = 0;
  ended.addEventListener("abort", () => latest.abort());

  async function refresh(): Promise<void> {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    const call = ask(signal);
    element.ariaBusy = "true";
    const shown = await call?.then(read, (error: unknown) => (signal.aborted ? [] : unanswered(error)));
    if (signal.aborted) return;
    element.replaceChildren(...(shown ?? [note(empty)]));
    element.ariaBusy = "false";
  }

  function read(answer: Answer | FailedResult): Child[] {
    if (!answer.status && answer.errorCode !== "NO_ITEMS") return failed(textOf(answer));
    failures = 0;
    const shown = answer.status ? show(answer, isFirst) : [];
    isFirst = false;
    return shown.length > 0 ? shown : [note(empty)];
  }

  function unanswered(error: unknown): Child[] {
    if (!(error instanceof LoyaltyError)) throw error;
    return failed(error.failure === null ? "The service does not answer." : textOf(error.failure));
  }

  /** Retries after a wait, and at once when another request succeeds. */
  function failed(text: string): Child[] {
    const { signal } = latest;
    const again = () => void refresh();
    const timer = setTimeout(again, Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS));
    failures += 1;
    signal.addEventListener("abort", () => clearTimeout(timer));
    addEventListener("online", again, { signal });
    return [note(text, h("button", { type: "button", click: again }, "Try again"))];
  }

  return { element, refresh };
}

/** Reads all items of a list, page by page. */
export async function whole<Entry>(entries: AsyncIterable<Entry>): Promise<{ status: true; items: Entry[] }> {
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
