import { describe, it } from "vitest";
import { send } from "../support/api.ts";
import { handshake, LIVE, openSockets } from "../support/live.ts";
import { freshId } from "../support/seed.ts";
import { customerToken, feedToken, signToken } from "../support/tokens.ts";

const SUBPROTOCOLS = "Sec-WebSocket-Protocol";
const now = () => Math.floor(Date.now() / 1_000);
const upgrade = { Upgrade: "websocket" };

describe("a handshake's token", () => {
  it.for([
    ["none", async () => ({})],
    ["a bad one", async (token: string) => ({ Authorization: `Bearer ${token}x` })],
    ["one of another secret", async () => ({ Authorization: `Bearer ${await signToken({ sub: "c" }, "other")}` })],
    ["an expired one", async () => ({ Authorization: `Bearer ${await customerToken("c", { exp: now() - 6 })}` })],
    ["none in Bearer", async () => ({ Authorization: "Bearer" })],
    ["another scheme's", async (token: string) => ({ Authorization: `Basic ${token}` })],
    ["a bad one as a subprotocol", async (token: string) => ({ [SUBPROTOCOLS]: `loyalty-edge, bearer.${token}x` })],
    ["an empty one as a subprotocol", async () => ({ [SUBPROTOCOLS]: "loyalty-edge, bearer." })],
    ["one without its prefix", async (token: string) => ({ [SUBPROTOCOLS]: `loyalty-edge, ${token}` })],
    ["one with a prefix in other letters", async (token: string) => ({ [SUBPROTOCOLS]: `Bearer.${token}` })],
    ["two: a header and a subprotocol", async (token: string, other: string) => both(token, other)],
    ["the same twice: a header and a subprotocol", async (token: string) => both(token, token)],
    ["two: another scheme's header and a subprotocol", async (token: string) => both("", token, "Basic YTpi")],
    [
      "two subprotocols",
      async (token: string, other: string) => ({ [SUBPROTOCOLS]: `bearer.${token}, loyalty-edge, bearer.${other}` }),
    ],
    [
      "the same twice in subprotocols",
      async (token: string) => ({ [SUBPROTOCOLS]: `bearer.${token},bearer.${token}` }),
    ],
    [
      "a good one and an empty one in subprotocols",
      async (token: string) => ({ [SUBPROTOCOLS]: `bearer.${token},bearer.` }),
    ],
  ] as const)("is refused with 401: %s", async ([, headersOf], { expect }) => {
    const headers = await headersOf(await customerToken("c"), await customerToken("d"));

    const answer = await send(LIVE, { headers: { ...upgrade, ...headers } as HeadersInit });

    expect(answer.status).toBe(401);
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(answer.headers.has("X-Request-Id")).toBe(true);
    expect(answer.body).toMatchObject({ status: false, errorCode: "UNAUTHENTICATED" });
  });

  it.for(["header", "subprotocol"])("of the scope feed is refused with 403, in a %s", async (where, { expect }) => {
    const token = await feedToken("*");
    const headers = where === "header" ? { Authorization: `Bearer ${token}` } : { [SUBPROTOCOLS]: `bearer.${token}` };

    const answer = await send(LIVE, { headers: { ...upgrade, ...headers } as HeadersInit });

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ status: false, errorCode: "FORBIDDEN" });
  });

  it.for(["token", "access_token", "authorization", "bearer", "jwt"])(
    "in the address is not looked at: ?%s=",
    async (name, { expect }) => {
      const mine = freshId("c");
      const theirs = freshId("c");
      const address = `${LIVE}?${name}=${await customerToken(theirs)}`;

      const alone = await send(address, { headers: upgrade });

      expect(alone.status).toBe(401);
      const answer = await handshake({ Authorization: `Bearer ${await customerToken(mine)}` }, address);
      expect(answer.status).toBe(101);
      expect([await openSockets(mine), await openSockets(theirs)]).toEqual([1, 0]);
    },
  );

  it("is taken a few seconds after its end, because clocks differ", async ({ expect }) => {
    const token = await customerToken(freshId("c"), { exp: now() - 1 });

    expect((await handshake({ Authorization: `Bearer ${token}` })).status).toBe(101);
  });
});

describe("subprotocols", () => {
  it.for([
    ["after the token", (token: string) => `bearer.${token}, loyalty-edge`, "loyalty-edge"],
    ["before the token", (token: string) => `loyalty-edge,bearer.${token}`, "loyalty-edge"],
    ["among others", (token: string) => `chat,bearer.${token} ,loyalty-edge, x`, "loyalty-edge"],
    ["not at all", (token: string) => `bearer.${token}`, null],
    ["in other letters", (token: string) => `bearer.${token}, Loyalty-Edge`, null],
  ] as const)("select loyalty-edge only if it was offered: %s", async ([, offer, selected], { expect }) => {
    const customerId = freshId("c");

    const answer = await handshake({ [SUBPROTOCOLS]: offer(await customerToken(customerId)) });

    expect(answer.status).toBe(101);
    expect(answer.headers.get(SUBPROTOCOLS)).toBe(selected);
    expect(await openSockets(customerId)).toBe(1);
  });

  it("select loyalty-edge beside a token in the header too, and nothing where none is offered", async ({ expect }) => {
    const headers = { Authorization: `Bearer ${await customerToken(freshId("c"))}` };

    const offered = await handshake({ ...headers, [SUBPROTOCOLS]: "loyalty-edge" });
    const plain = await handshake(headers);

    expect(offered.headers.get(SUBPROTOCOLS)).toBe("loyalty-edge");
    expect(plain.headers.has(SUBPROTOCOLS)).toBe(false);
  });

  it("carry no token to any other route", async ({ expect }) => {
    const paths = ["/api/v1/customer/messages", "/api/v1/customer/coupons", "/api/v1/customer/my-coupons"];
    const headers = { ...upgrade, [SUBPROTOCOLS]: `loyalty-edge, bearer.${await customerToken("c")}` };

    const answers = await Promise.all(paths.map((path) => send(path, { headers })));
    const fed = await send("/api/v1/feed", {
      method: "POST",
      headers: { [SUBPROTOCOLS]: `bearer.${await feedToken("*")}` },
      body: "",
    });

    expect([...answers, fed].map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });
});

function both(inHeader: string, inSubprotocol: string, authorization = `Bearer ${inHeader}`) {
  return { Authorization: authorization, [SUBPROTOCOLS]: `loyalty-edge, bearer.${inSubprotocol}` };
}
