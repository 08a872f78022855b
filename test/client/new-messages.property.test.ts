import fc from "fast-check";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { Since } from "../../src/client/index.ts";
import { pollMessages } from "../../src/client/poll.ts";
import { Service } from "../../src/client/service.ts";
import type { MessageGroup } from "../../src/client/shapes.ts";
import { abortable, throwIfAborted } from "../../src/client/waiting.ts";
import { BEGINNING, GROUP_IDS, newsSince, ServiceModel, timeOf } from "../support/messages-model.ts";
import { propertyRuns } from "../support/property-runs.ts";

// The polling of the client against a model of the service (docs/contract/interface.md, 4.2), in which anything may
// happen before any request and after any group: messages, seconds that pass, a lost connection, a client that ends and
// resumes.

type Event = { say: string } | "second passes" | "connection is lost" | "client restarts";

/**
 * What a user is given who stores each group once it was dealt with, and resumes from there; and when "now" was, where
 * they begin without `since`.
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
  /** Asks the model once: a lost connection is not tried again. */
  const serviceUntil = (stop: AbortController) => {
    const send = async (input: unknown) => {
      const address = new URL(String(input));
      const isQuiet = events.length === 0;
      if (isQuiet) service.now += 2;
      if (happens() === "connection is lost") throw new TypeError("connection lost");
      const answer = await service.fetch(address);
      const { status } = await answer.clone().json<{ status: boolean }>();
      if (address.searchParams.get("per_page") === "1") now = status ? service.now : 0;
      else if (!status && isQuiet && !address.searchParams.has("after")) {
        isOver = true;
        stop.abort();
      }
      return answer;
    };
    const retry = { attempts: 1, longestWaitMs: 0, answerWithinMs: 1_000 };
    return new Service({ url: "https://loyalty.example", askToken: async () => "t", send, retry });
  };
  while (!isOver) {
    const stop = new AbortController();
    const asked = serviceUntil(stop);
    const untilDue = async () => throwIfAborted(stop.signal);
    const polling = abortable(stop.signal, (signal) =>
      pollMessages((query, call) => asked.getPage<MessageGroup[]>("/messages", query, call), {
        since: goOn,
        untilDue,
        signal,
      }),
    );
    for await (const group of polling) {
      given.push(group);
      goOn = group;
      if (happens() === "client restarts") break;
    }
  }
  return { given: given.map(({ last_message }) => last_message), now };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Follows, and lets time pass until that is over: after a failure the client waits. */
async function followInTime(...given: Parameters<typeof follow>): ReturnType<typeof follow> {
  let isOver = false;
  const following = follow(...given).finally(() => (isOver = true));
  while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
  return following;
}

const ids = fc.constantFrom(...GROUP_IDS);
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ say: ids }) },
  { weight: 2, arbitrary: fc.constant<Event>("second passes") },
  { weight: 1, arbitrary: fc.constantFrom<Event>("connection is lost", "client restarts") },
);

describe("following the messages", () => {
  it("gives each message of a group at most once and its newest one always, whatever happens", async ({ expect }) => {
    const property = fc.asyncProperty(
      fc.array(ids, { maxLength: 12 }),
      fc.array(event, { maxLength: 60 }),
      fc.constantFrom<Since | undefined>("", timeOf(BEGINNING - 1), undefined),
      async (stored, events, since) => {
        const service = new ServiceModel(3);
        for (const id of stored) service.say(id);

        const { given, now } = await followInTime(service, since, [...events]);

        expect(new Set(given).size).toBe(given.length);
        expect(given).toEqual(expect.arrayContaining(newsSince(service, now)));
      },
    );

    await fc.assert(property, propertyRuns(200));
  });

  it("gives 1,100 groups of one second, oldest first in pieces, each once", async ({ expect }) => {
    const service = new ServiceModel();
    for (let index = 0; index < 1_100; index += 1) service.say(`g${index}`);
    service.now += 1;
    service.say("latest");

    const { given } = await followInTime(service, "", ["client restarts"]);

    expect(given).toHaveLength(1_101);
    expect(new Set(given).size).toBe(1_101);
    expect(given.at(-1)).toBe("latest 1");
  });
});
