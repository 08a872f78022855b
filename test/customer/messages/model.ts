// The rules of docs/contract/interface.md, 4.2, written without thinking of SQL: times are seconds of one clock.

export const HOUR = 3_600;

export interface Message {
  id: string;
  group: string;
  time: number;
  /** Whether it was stamped when it was stored; else it is history. */
  isNews: boolean;
}

/** All that was stored, in that order, and the stamps that were taken; each with the number of its commit. */
export class Messages {
  readonly #stored: (Message & { commit: number })[] = [];
  readonly #stamps: { commit: number; stamp: number }[] = [];
  #isOpen = false;

  store(
    commit: number,
    stamp: number,
    messages: readonly { id: string; group: string; sentAt: number | null }[],
  ): void {
    this.#stamps.push({ commit, stamp });
    this.#isOpen = true;
    for (const { id, group, sentAt } of messages) {
      const isNews = sentAt === null || sentAt >= stamp - HOUR;
      this.#stored.push({ id, group, isNews, time: isNews ? stamp : sentAt, commit });
    }
  }

  /** Somebody takes the stamp that shows what was stored, if its second is over. */
  show(commit: number, stamp: number): void {
    if (!this.#isOpen || this.stampAt(commit) === stamp) return;
    this.#stamps.push({ commit, stamp });
    this.#isOpen = false;
  }

  /** The last stamp of a copy of the database. */
  stampAt(commit: number): number {
    return this.#stamps.findLast((one) => one.commit <= commit)?.stamp ?? Number.NEGATIVE_INFINITY;
  }

  /** What each group shows at a copy: the last by time, then by the order of storing, of those before its last stamp. */
  shownAt(commit: number): Message[] {
    const last = new Map<string, Message>();
    const stamp = this.stampAt(commit);
    for (const { commit: storedBy, ...one } of this.#stored) {
      const isShown = storedBy <= commit && one.time < stamp;
      if (isShown && one.time >= (last.get(one.group)?.time ?? one.time)) last.set(one.group, one);
    }
    return [...last.values()].sort(byPlace);
  }
}

/** Newest first, then by the group's id. */
export function byPlace(one: Pick<Message, "time" | "group">, other: Pick<Message, "time" | "group">): number {
  if (one.time !== other.time) return other.time - one.time;
  return one.group < other.group ? -1 : Number(one.group > other.group);
}

/**
 * A client that polls by docs/contract/interface.md, 4.2: one check_time for all pages of a poll, then the greatest
 * time seen.
 */
export class Poller {
  readonly seen = new Set<string>();
  checkTime: number | null = null;
  /** Where the next page of a poll begins; null between polls. */
  after: (Pick<Message, "time" | "group"> & { upTo: number }) | null = null;
  #greatest: number | null = null;

  take(page: readonly Pick<Message, "id" | "group" | "time">[], hasMore: boolean): void {
    for (const { id, time } of page) {
      this.seen.add(id);
      this.#greatest = Math.max(this.#greatest ?? time, time);
    }
    const [first, last] = [page[0], page.at(-1)];
    this.after = hasMore && first && last ? { ...last, upTo: this.after?.upTo ?? first.time } : null;
    if (this.after === null) this.checkTime = this.#greatest;
  }
}
