import { describe, it } from "vitest";
import { inboxName } from "../../src/inbox/inboxes.ts";
import { CONNECTION_HEADER, readConnection, writeConnection } from "../../src/inbox/protocol.ts";
import { mustFeed } from "../support/api.ts";
import { connection, framesOf, handshake, listenAs, openSockets } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

/** Ids that something on the way could take for each other. */
const ODD = [
  "odd/id",
  "odd%2Fid",
  "odd%252Fid",
  "odd id",
  "odd+id",
  "odd%20id",
  " odd id",
  "Odd id",
  "odd\nid",
  "odd?id#x",
  'odd"id',
  "odd\\id",
  "odd,id",
  "../odd",
  "odd-é",
  "odd-e\u0301",
  "😀",
  "👩‍👩‍👧",
  "中文",
  "__proto__",
  "constructor",
  "null",
  "0",
  "x".repeat(64),
];

describe("a customer's socket", () => {
  it("is the token's customer's, whoever else the request names", async ({ expect }) => {
    const [mine, theirs] = [seed.freshId("c"), seed.freshId("c")];
    const claimed = connection(theirs, { tokenExpires: 9e9 });
    const path = `/api/v1/customer/live?customer_id=${theirs}&customerId=${theirs}&sub=${theirs}`;

    const answer = await handshake(
      {
        Authorization: `Bearer ${await customerToken(mine)}`,
        [CONNECTION_HEADER]: writeConnection(claimed),
        Cookie: `sub=${theirs}`,
      },
      path,
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

    // In each round those whose number has the same bit set, so that any two of them differ in one.
    const isFed = (index: number, round: number) => ((index + 1) & (1 << round)) !== 0;
    for (let round = 0; round < 5; round += 1) {
      await mustFeed(ODD.filter((_, index) => isFed(index, round)).map((id) => seed.entry(id, store.id, "1.00")));
      const frames = await Promise.all(listeners.map(({ id, socket }) => framesOf(socket, id)));
      const expected = ODD.map((_, index) =>
        Array.from({ length: round + 1 }, (_, before) => before).flatMap((before) =>
          isFed(index, before) ? [["balance"]] : [],
        ),
      );
      expect(frames).toEqual(expected);
    }
  });

  it.for(ODD)(
    "reaches the inbox in letters that a header may have, which nobody logs: %j",
    (customerId, { expect }) => {
      const described = connection(customerId);

      const header = writeConnection(described);

      expect(header).toMatch(/^[\x21-\x7e]+$/);
      expect(readConnection(header)).toEqual(described);
    },
  );
});

describe("the name of an inbox", () => {
  it("holds no customer's id, and is another in each environment", async ({ expect }) => {
    const name = await inboxName("production", "ada");

    expect(name).toBe("99289b55b3c6d8852cac76808c22689f533c56800851c1ee04ed85aa48b1e28b");
    expect(await inboxName("staging", "ada")).not.toBe(name);
    expect(await inboxName("production", "bo")).not.toBe(name);
  });
});
