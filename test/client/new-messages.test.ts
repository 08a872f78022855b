import { env } from "cloudflare:workers";
import { beforeEach, describe, it } from "vitest";
import type { LoyaltyError, MessageGroup, Since } from "../../src/client/index.ts";
import { mustFeed } from "../support/api.ts";
import { clientOf, worker } from "../support/client.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";
import { waitUntil } from "../support/wait.ts";

// new-messages.property.test.ts shows that no message is lost or repeated, whatever happens.
describe("newMessages", () => {
  // Stamps never run backwards, so each test has a minute of its own.
  let minute = 0;
  beforeEach(() => {
    minute += 1;
  });
  const time = (second: number) =>
    new Date(Date.UTC(2026, 5, 1, 12, minute, second)).toISOString().slice(0, 19).replace("T", " ");
  const clockAt = (second: number) => setClock(time(second));

  /** A customer with groups. Each has a message from another customer, of the minute's first second, which is over. */
  async function seedGroups(count: number) {
    const [reader, writer] = [seed.customer(), seed.customer()];
    const groups = Array.from({ length: count }, () => seed.group([reader.id, writer.id]));
    const say = (group: (typeof groups)[number] | undefined) => seed.message(group?.id ?? "", writer.id);
    await clockAt(0);
    await mustFeed([reader, writer, ...groups, ...groups.map(say)]);
    await clockAt(10);
    return { reader, groups, say };
  }

  it("gives every group with a new message once, oldest first, over all pages of a poll", async ({ expect }) => {
    const { reader, groups, say } = await seedGroups(130);
    const stop = new AbortController();
    const { client, sent } = clientOf(reader.id);
    const seen: MessageGroup[] = [];

    for await (const group of client.newMessages({ since: "", everyMs: 10, signal: stop.signal })) {
      seen.push(group);
      if (seen.length === 130) {
        await mustFeed([say(groups[7])]);
        await clockAt(20);
      }
      if (seen.length === 131) setTimeout(() => stop.abort(), 100);
    }

    expect(new Set(seen.slice(0, 130).map(({ group_id }) => group_id)).size).toBe(130);
    expect(seen.slice(130).map(({ group_id }) => group_id)).toEqual([groups[7]?.id]);
    expect(sent.some((address) => address.includes("after="))).toBe(true);
    expect(sent.at(-1)).toContain(`check_time=${time(10).replace(" ", "%20").replaceAll(":", "%3A")}`);
  });

  it.for([
    ["asks for the same page again after a 429", 429, [false, true, true]],
    ["begins again at the first page after a 422", 422, [false, true, false, true]],
  ] as const)("%s", async ([, status, pages], { expect }) => {
    const { reader, groups } = await seedGroups(130);
    const asked: boolean[] = [];
    const { client } = clientOf(reader.id, async (input, init) => {
      const isLater = asked[asked.push(String(input).includes("after=")) - 1];
      if (asked.length !== 2 || !isLater) return worker(input, init);
      return Response.json({ status: false }, { status, headers: { "Retry-After": "1" } });
    });
    const seen: string[] = [];

    for await (const group of client.newMessages({ since: "" })) if (seen.push(group.group_id) === 130) break;

    expect(seen.toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
    expect(asked).toEqual(pages);
  });

  it.for([false, true])(
    "throws where the service asks to wait for hours, and says where to go on, with later page: %s",
    async (isLaterPage, { expect }) => {
      const { reader, groups } = await seedGroups(130);
      let isLimited = true;
      const { client } = clientOf(reader.id, async (input, init) => {
        if (!isLimited || String(input).includes("after=") !== isLaterPage) return worker(input, init);
        const body = { status: false, errorCode: "UNAVAILABLE", message: "Try again after 00:00 UTC." };
        return Response.json(body, { status: 503, headers: { "Retry-After": "301" } });
      });
      const failures: LoyaltyError[] = [];
      const onError = (error: LoyaltyError) => failures.push(error);

      const failed = await client
        .newMessages({ since: "", onError })
        .next()
        .catch((error: unknown) => error);
      isLimited = false;
      const { since } = failed as LoyaltyError;
      const next = await client.newMessages({ since }).next();

      expect(failed).toMatchObject({ message: "Try again after 00:00 UTC.", failure: { retryAfterMs: 301_000 } });
      expect([failures, since]).toEqual([[], ""]);
      expect(groups.map(({ id }) => id)).toContain(next.value?.group_id);
    },
  );

  it("goes on after the group that was dealt with last, also within one second", async ({ expect }) => {
    const { reader, groups } = await seedGroups(5);
    const seen: string[] = [];
    let since: Since = "";

    for (const _ of groups) {
      const stop = new AbortController();
      for await (const group of clientOf(reader.id).client.newMessages({ since, signal: stop.signal })) {
        seen.push(group.group_id);
        since = { group_id: group.group_id, last_message_time: group.last_message_time };
        stop.abort();
      }
    }

    expect(seen.toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
  });

  it("says where to go on when its token is refused before it has given anything", async ({ expect }) => {
    const { reader, groups, say } = await seedGroups(2);
    let isRefused = false;
    const { client, sent } = clientOf(reader.id, async (input, init) => {
      return worker(input, isRefused ? { ...init, headers: {} } : init);
    });
    const following = client.newMessages({ everyMs: 10 }).next();
    await waitUntil(() => sent.length > 1);
    isRefused = true;
    const failed = await following.catch((error: unknown) => error);
    await mustFeed([say(groups[0])]);
    await clockAt(30);
    isRefused = false;

    const next = await client.newMessages({ since: (failed as LoyaltyError).since }).next();

    expect(next.value?.group_id).toBe(groups[0]?.id);
  });

  it("ends with its signal, also within a page", async ({ expect }) => {
    const { reader } = await seedGroups(2);
    const stop = new AbortController();
    let seen = 0;

    for await (const _ of clientOf(reader.id).client.newMessages({ since: "", signal: stop.signal })) {
      seen += 1;
      stop.abort();
    }

    expect(seen).toBe(1);
  });

  it("throws at once for a beginning that is no time of the service", async ({ expect }) => {
    const { client, sent } = clientOf("c");

    await expect(client.newMessages({ since: "yesterday" }).next()).rejects.toThrow(RangeError);
    expect(sent).toEqual([]);
  });

  it("throws a refusal of the token, which trying again does not remove", async ({ expect }) => {
    const polling = clientOf("x".repeat(65)).client.newMessages();

    await expect(polling.next()).rejects.toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
    expect(env.ENVIRONMENT).toBe("production");
  });
});
