import { describe, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { mustFeed } from "../support/api.ts";
import { EVERYTHING } from "../support/changes.ts";
import { worker } from "../support/client.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";
import { WorkerSocket } from "../support/worker-socket.ts";

/** Two customers in a group, and a way to make clients of the first. */
async function seedReader(token?: () => Promise<string>) {
  const [reader, writer] = [seed.customer(), seed.customer()];
  const group = seed.group([reader.id, writer.id]);
  await mustFeed([reader, writer, group]);
  const newClient = () =>
    createClient({
      url: "https://loyalty.example",
      token: token ?? (() => customerToken(reader.id)),
      fetch: worker,
      WebSocket: WorkerSocket,
    });
  const say = () => mustFeed([seed.message(group.id, writer.id)]);
  return { reader, newClient, client: newClient(), group, say };
}

// Concurrent, because they wait for real seconds.
describe.concurrent("the client at the service's sockets", () => {
  it("is told what changed", async ({ expect }) => {
    const { reader, client, say } = await seedReader();
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const given: string[][] = [];

    for await (const { what } of client.changes()) {
      given.push(what);
      if (given.length === 1) await mustFeed([seed.entry(reader.id, store.id, "5.00")]);
      else if (given.length === 2) await say();
      else break;
    }

    expect(given).toEqual([EVERYTHING, ["balance"], ["messages"]]);
  });

  it("is given a new message long before the next poll beside the socket", async ({ expect }) => {
    const { client, group, say } = await seedReader();
    const messages = client.newMessages({ since: "" });
    const arriving = messages.next();
    const changes = client.changes();
    await changes.next();

    const from = Date.now();
    await say();

    expect((await arriving).value?.group_id).toBe(group.id);
    // Beside a socket it polls after 45 seconds at the earliest.
    expect(Date.now() - from).toBeLessThan(5_000);
    await Promise.all([changes.return(), messages.return()]);
  });

  it("connects again with a new token when one expires", async ({ expect }) => {
    const now = Math.floor(Date.now() / 1_000);
    const expiries = [now, now + 3_600];
    let asked = 0;
    const token = (): Promise<string> => customerToken("c", { exp: expiries[asked++] });
    const { client } = await seedReader(token);
    const changes = client.changes();

    await changes.next();
    const { value } = await changes.next();

    expect(value).toEqual({ what: EVERYTHING });
    expect(asked).toBe(2);
    await changes.return();
  });

  it("ends when a fixed token has expired", async ({ expect }) => {
    const token = await customerToken("c", { exp: Math.floor(Date.now() / 1_000) });
    const { client } = await seedReader(async () => token);
    const changes = client.changes();

    await changes.next();

    await expect(changes.next()).rejects.toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
  });

  it.for<[string, string, () => Promise<string>]>([
    ["that is not the service's", "UNAUTHENTICATED", async () => "nobody's"],
    ["of the feed", "FORBIDDEN", () => customerToken("c", { scope: "feed" })],
  ])("ends at once with a token %s: %s", async ([, errorCode, token], { expect }) => {
    const { client } = await seedReader(token);

    await expect(client.changes().next()).rejects.toMatchObject({ name: "LoyaltyError", failure: { errorCode } });
  });

  it("of nine at a time, is told at eight", async ({ expect }) => {
    const { newClient, say } = await seedReader();
    const all = Array.from({ length: 9 }, () => newClient().changes());
    for (const changes of all) await changes.next();

    await say();
    const told = await Promise.all(all.slice(1).map((changes) => changes.next()));

    expect(told.map(({ value }) => value)).toEqual(told.map(() => ({ what: ["messages"] })));
    for (const changes of all) await changes.return();
  });
});
