/** What a request asked, and what it cost. */
export type Cost = [path: string, text: string];

/**
 * A `fetch` that reports the cost of each answer, or null if no answer comes. The cost is the browser's wait and the
 * numbers in `Server-Timing`, such as `d1;dur=1.5, trips;desc="1", rows;desc="42"`.
 */
export function fetchWithCost(report: (cost: Cost | null) => void): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now();
    try {
      const answer = await fetch(input, init);
      const waitMs = Math.round(performance.now() - startedAt);
      const timing = answer.headers.get("Server-Timing") ?? "";
      const figure = (name: string) => new RegExp(`\\b${name};(?:dur=|desc=")([\\d.]+)`).exec(timing)?.[1] ?? "no";
      const trips = figure("trips") === "1" ? "1 round trip" : `${figure("trips")} round trips`;
      const path = new URL(answer.url).pathname.replace("/api/v1", "");
      const text = `${waitMs} ms, ${figure("d1")} at the database · ${trips} · ${figure("rows")} rows read`;
      report([path, text]);
      return answer;
    } catch (error) {
      if (init?.signal?.aborted !== true) report(null);
      throw error;
    }
  };
}

/**
 * A WebSocket that reports a lost connection at once, so that the page can show that the service has stopped. The
 * client would notice later: it waits for up to half a minute before it reconnects, so that not all apps return
 * together.
 */
export const socketWithNotice = (onLost: () => void): typeof WebSocket =>
  class extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      this.addEventListener("close", ({ wasClean }) => wasClean || onLost());
    }
  };
