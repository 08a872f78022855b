import { describe, it } from "vitest";
import { inboxName } from "../../src/inbox/inboxes.ts";
import { CONNECTION_HEADER, readConnection, writeConnection } from "../../src/inbox/protocol.ts";
import { mustFeed } from "../support/api.ts";
import { connection, framesOf, handshake, listenAs, openSockets } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

/** Ids that some step between the feed and the socket could confuse with a neighbour in this list. */
const ODD = [
  ...["odd/id", "odd%2Fid", "odd%252Fid", "../odd/id"],
  ...["odd id", "odd+id", "odd%20id", " odd id", "odd\nid", "Odd id"],
  ...["odd?id#x", 'odd"id', "odd\\id", "odd,id"],
  ...["odd-é", "odd-e\u0301", "😀", "👩‍👩‍👧", "中文"],
  ...["__proto__", "constructor", "null", "0", "x".repeat(64)],
];

describe("a customer's socket", () => {
  it("is the token's customer's, whomever else the request names", async ({ expect }) => {
    const [mine, theirs] = [seed.freshId("c"), seed.freshId("c")];
    const headers = {
      Authorization: `Bearer ${await customerToken(mine)}`,
      [CONNECTION_HEADER]: writeConnection(connection(theirs, { tokenExpires: 9e9 })),
      Cookie: `sub=${theirs}`,
    };

    const answer = await handshake(
      headers,
      `/api/v1/customer/live?customer_id=${theirs}&customerId=${theirs}&sub=${theirs}`,
    );

    expect(answer.status).toBe(101);
    expect(answer.headers.has("Sec-WebSocket-Protocol")).toBe(false);
    expect([await openSockets(mine), await openSockets(theirs)]).toEqual([1, 0]);
  });

  it("with an id of odd characters gets the frames of that id, and no others", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store, ...ODD.map((id) => seed.customer({ id }))]);
    const listeners = await Promise.all(ODD.map(async (id) => ({ id, socket: await listenAs(id) })));

    const fed = ODD.filter((_, index) => index % 2 === 0);
    await mustFeed(fed.map((id) => seed.entry(id, store.id, "1.00")));

    const frames = await Promise.all(listeners.map(({ id, socket }) => framesOf(socket, id)));
    expect(frames).toEqual(ODD.map((id) => (fed.includes(id) ? [["balance"]] : [])));
  });

  it.for(ODD)("is described to the inbox in characters that a header may have: %j", (customerId, { expect }) => {
    const described = connection(customerId);

    const header = writeConnection(described);

    expect(header).toMatch(/^[\x21-\x7e]+$/);
    expect(readConnection(header)).toEqual(described);
  });
});

describe("the name of an inbox", () => {
  it("does not have the customer's id, and differs for each customer and environment", async ({ expect }) => {
    const name = await inboxName("production", "ada");
    const others = await Promise.all(ODD.map((id) => inboxName("production", id)));

    expect(name).toBe("99289b55b3c6d8852cac76808c22689f533c56800851c1ee04ed85aa48b1e28b");
    expect(new Set([name, await inboxName("staging", "ada"), ...others]).size).toBe(ODD.length + 2);
  });
});
