import { describe, it } from "vitest";
import { createClient, type MessageGroup } from "../../src/client/index.ts";
import { mustFeed } from "../support/api.ts";
import { worker } from "../support/client.ts";
import { EVERYTHING, URL_OF_SERVICE } from "../support/scripted-service.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";
import { WorkerSocket } from "../support/worker-socket.ts";

const clientWith = (token: () => Promise<string>) =>
  createClient({ url: URL_OF_SERVICE, token, fetch: worker, WebSocket: WorkerSocket });

/** A client of a reader, and message groups of the reader and a writer. */
async function seedReader(groupCount = 1) {
  const [reader, writer] = [seed.customer(), seed.customer()];
  const groups = Array.from({ length: groupCount }, () => seed.group([reader.id, writer.id]));
  await mustFeed([reader, writer, ...groups]);
  const say = (...to: typeof groups) => mustFeed(to.map(({ id }) => seed.message(id, writer.id)));
  return { reader, client: clientWith(() => customerToken(reader.id)), groups, say };
}

// Concurrent, because they wait for real seconds.
describe.concurrent("the client at the Worker", () => {
  it("hears of changes", async ({ expect }) => {
    const { reader, client, groups, say } = await seedReader();
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const receivedChanges: string[][] = [];

    for await (const { what } of client.changes()) {
      receivedChanges.push(what);
      if (receivedChanges.length === 1) await mustFeed([seed.entry(reader.id, store.id, "5.00")]);
      else if (receivedChanges.length === 2) await say(...groups);
      else break;
    }

    expect(receivedChanges).toEqual([EVERYTHING, ["balance"], ["messages"]]);
  });

  it("gets each group over all pages of a poll, and a new message long before the next poll", async ({ expect }) => {
    const { client, groups, say } = await seedReader(130);
    const last = groups.slice(-1);
    const receivedGroups: MessageGroup[] = [];
    let saidAt = 0;
    await say(...groups);

    for await (const group of client.newMessages({ since: "" })) {
      receivedGroups.push(group);
      if (receivedGroups.length === 131) break;
      if (receivedGroups.length < 130) continue;
      // Waits for `hello`, so that the next message has a frame.
      const changes = client.changes();
      setTimeout(async () => {
        await changes.next();
        saidAt = Date.now();
        await say(...last);
        await changes.return();
      });
    }

    expect(new Set(receivedGroups.slice(0, 130).map(({ group_id }) => group_id)).size).toBe(130);
    expect(receivedGroups.at(-1)?.group_id).toBe(last[0]?.id);
    // Beside a socket it polls after 45 seconds at the earliest.
    expect(Date.now() - saidAt).toBeLessThan(5_000);
  });

  it.for<[string, string, () => Promise<string>]>([
    ["that is not the service's", "UNAUTHENTICATED", async () => "nobody's"],
    ["of the feed", "FORBIDDEN", () => customerToken("c", { scope: "feed" })],
  ])("ends with a token %s: %s", async ([, errorCode, token], { expect }) => {
    const expectedError = { name: "LoyaltyError", failure: { errorCode } };

    await expect(clientWith(token).changes().next()).rejects.toMatchObject(expectedError);
    await expect(clientWith(token).newMessages().next()).rejects.toMatchObject(expectedError);
  });

  it("refuses a `since` that is not a time of the service, before it polls", async ({ expect }) => {
    const following = clientWith(async () => "").newMessages({ since: "yesterday" });

    await expect(following.next()).rejects.toThrow(RangeError);
  });
});
