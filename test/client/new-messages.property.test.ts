import fc from "fast-check";
import { describe, it } from "vitest";
import { LoyaltyError, type Since } from "../../src/client/index.ts";
import { pollMessages } from "../../src/client/poll.ts";

// The polling of the client against a model of the service (docs/contract/interface.md, 4.2), in which anything may
// happen before any request and after any group: messages, seconds that pass, a lost connection, a client that ends and
// resumes.

type Get = Parameters<typeof pollMessages>[0];
type Event = { say: string } | "second passes" | "connection is lost" | "client restarts";

/** A group with its messages as the seconds in which they were stored, the newest last. */
type Group = [id: string, seconds: number[]];

const BEGINNING = Date.UTC(2026, 5, 1) / 1_000;
const timeOf = (second: number) => new Date(second * 1_000).toISOString().slice(0, 19).replace("T", " ");
/** Texts in the order of their code points, as SQLite has it. */
const byCodePoint = (id: string) => Array.from(id, (one) => one.codePointAt(0)?.toString(16).padStart(6, "0")).join("");

class ServiceModel {
  now = BEGINNING;
  readonly groups = new Map<string, number[]>();
  readonly #largestPage: number;

  constructor(largestPage = 100) {
    this.#largestPage = largestPage;
  }

  say(id: string): void {
    this.groups.set(id, [...(this.groups.get(id) ?? []), this.now]);
  }

  /** The page of groups as the service answers it: a message is shown once its second is over. */
  readonly get: Get = async ({ check_time = "", per_page, after }) => {
    const limit = Math.min(Number(per_page), this.#largestPage);
    const list = [...this.groups]
      .flatMap(([id, seconds]) => shownOf([id, seconds.filter((second) => second < this.now)]))
      .filter(({ last_message_time }) => last_message_time > check_time)
      .map((group) => ({ group, place: placeOf(group.last_message_time, group.group_id) }))
      .filter(({ place }) => after === undefined || place > placeOf(after.slice(0, 19), after.slice(20)))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ group }) => group);
    const items = list.slice(0, limit);
    const last = items.at(-1);
    if (last === undefined) return answer({ status: false, errorCode: "NO_ITEMS" }, {});
    const next = new URL("https://loyalty.example/?page=2");
    next.searchParams.set("after", `${last.last_message_time} ${last.group_id}`);
    return answer({ status: true, items }, list.length > limit ? { Link: `<${next}>; rel="next"` } : {});
  };
}

function shownOf([group_id, seconds]: Group) {
  const last = seconds.at(-1);
  return last === undefined
    ? []
    : [{ group_id, last_message_time: timeOf(last), last_message: `${group_id} ${seconds.length}` }];
}

/** A text that sorts as the service's list does: newest first, then by id. */
function placeOf(time: string, id: string): string {
  return `${1e12 - Date.parse(`${time.replace(" ", "T")}Z`) / 1_000} ${byCodePoint(id)}`;
}

const answer = (body: object, headers: Record<string, string>) => ({
  status: 200,
  headers: new Headers(headers),
  json: async () => body,
});

/**
 * What a user is given who stores each group once it was dealt with, resumes from there, and after a failure goes on as
 * the failure says; and when "now" was, where they begin without `since`.
 */
async function follow(service: ServiceModel, since: Since | undefined, events: Event[]) {
  const given: { group_id: string; last_message: string }[] = [];
  let [goOn, now, isOver] = [since, -1, false];
  const happens = (): Event | undefined => {
    const event = events.shift();
    if (event === "second passes") service.now += 1;
    else if (typeof event === "object") service.say(event.say);
    return event;
  };
  const get =
    (stop: AbortController): Get =>
    async (query, call) => {
      const isQuiet = events.length === 0;
      if (isQuiet) service.now += 2;
      if (happens() === "connection is lost") throw new LoyaltyError("connection lost");
      const page = await service.get(query, call);
      const isNothing = ((await page.json()) as { status: boolean }).status === false;
      if (query.per_page === "1") now = isNothing ? 0 : service.now;
      else if (isNothing && isQuiet && query.after === undefined) {
        isOver = true;
        stop.abort();
      }
      return page;
    };
  while (!isOver) {
    const stop = new AbortController();
    try {
      for await (const group of pollMessages(get(stop), { since: goOn, everyMs: 0, signal: stop.signal })) {
        given.push(group);
        goOn = group;
        if (happens() === "client restarts") break;
      }
    } catch (error) {
      if (!(error instanceof LoyaltyError)) throw error;
      goOn = error.since ?? goOn;
    }
  }
  return { given: given.map(({ last_message }) => last_message), now };
}

// Among them a pair whose order by UTF-16 unit is not that by code point.
const ids = fc.constantFrom("a", "ab", "b", "c", "d", "e", "\u{ff5e}", "\u{1f600}");
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ say: ids }) },
  { weight: 2, arbitrary: fc.constant<Event>("second passes") },
  { weight: 1, arbitrary: fc.constantFrom<Event>("connection is lost", "client restarts") },
);

/** The newest message of each group that has one in this second or later. */
const newsSince = ({ groups }: ServiceModel, second: number) =>
  [...groups].filter(([, seconds]) => (seconds.at(-1) ?? -1) >= second).map(([id, { length }]) => `${id} ${length}`);

describe("following the messages", () => {
  it("gives each message of a group at most once and its newest one always, whatever happens", async ({ expect }) => {
    const property = fc.asyncProperty(
      fc.array(ids, { maxLength: 12 }),
      fc.array(event, { maxLength: 60 }),
      fc.constantFrom<Since | undefined>("", timeOf(BEGINNING - 1), undefined),
      async (stored, events, since) => {
        const service = new ServiceModel(3);
        for (const id of stored) service.say(id);

        const { given, now } = await follow(service, since, [...events]);

        expect(new Set(given).size).toBe(given.length);
        expect(given).toEqual(expect.arrayContaining(newsSince(service, now)));
      },
    );

    await fc.assert(property, { numRuns: 300 });
  });

  it("gives 2,500 groups of one second, oldest first in pieces, each once", async ({ expect }) => {
    const service = new ServiceModel();
    for (let index = 0; index < 2_500; index += 1) service.say(`g${index}`);
    service.now += 1;
    service.say("latest");

    const { given } = await follow(service, "", ["client restarts"]);

    expect(given).toHaveLength(2_501);
    expect(new Set(given).size).toBe(2_501);
    expect(given.at(-1)).toBe("latest 1");
  });
});
