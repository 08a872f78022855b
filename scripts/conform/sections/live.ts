import { expectFailure, expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import type { Line } from "../lines.ts";
import { Skipped } from "../outcome.ts";
import { type Listener, UPGRADE } from "../socket.ts";
import { ANY_ORIGIN, section } from "../suite.ts";

const QUIET_WITHIN_SECONDS = 5;
const SHOWN_WITHIN_SECONDS = 15;

export const livePolls = section("live, 1", ({ suite, ann, ben, eve, seed, make, it }) => {
  const newest = "2026-01-05 09:00:00";
  for (const caller of [ann, ben, eve]) seed.caller(caller);
  const talk = seed.group([ann, ben]);
  seed.message(talk, ben, "old", { sent_at: newest });
  const poll = () => suite.get(ann, "messages", { check_time: newest });
  /** Whether an answer took no round trip to the database. */
  const isQuiet = ({ headers }: Answer) => /trips;desc="?0"?/.test(headers.get("Server-Timing") ?? "");

  it("A quiet poll makes no round trip to the database.", async () => {
    await suite.until(poll, isQuiet, QUIET_WITHIN_SECONDS);
    await suite.until(() => suite.get(eve, "messages"), isQuiet, QUIET_WITHIN_SECONDS);
  });
  it("After a message, polls read it at the database until their `check_time` has reached it.", async () => {
    const [newText, oldText] = [suite.word(), suite.word()];
    const expectPollToShow = async (text: string, fedLines: Line[], nextPoll = poll) => {
      await suite.until(nextPoll, isQuiet, QUIET_WITHIN_SECONDS);
      await suite.feed(...fedLines);
      const first = await suite.until(nextPoll, (answer) => !isQuiet(answer), SHOWN_WITHIN_SECONDS);
      expectThat(first.text.includes(text), "the first poll that the inbox leaves to the database lacks the message");
      expectThat(!isQuiet(await nextPoll()), "a poll is quiet although its `check_time` is before the message");
    };
    await expectPollToShow(newText, [make.message(talk, ben, newText)]);
    const joinedGroup = make.group([ben, ann]);
    await suite.feed(joinedGroup, make.message(joinedGroup, ben, oldText, { sent_at: "2020-01-01 00:00:00" }));
    const groupWithEve = { ...joinedGroup, member_ids: [ben.id, ann.id, eve.id] };
    await expectPollToShow(oldText, [groupWithEve], () => suite.get(eve, "messages"));
  });
});

const LIVE = "/api/v1/customer/live";
const KIBIBYTE = 1_024;
const MOST_FRAMES_A_MINUTE = 60;
// workerd may send a close frame only once the Durable Object is idle, after ten seconds.
const REPLACED_TIMEOUT_MS = 20_000;
const EXPIRES_SECONDS = 2;
const LEEWAY_SECONDS = 5;

export const atBookmark = (bookmark = "") => ({ headers: { "X-D1-Bookmark": bookmark } });

async function expectClosed(listener: Listener, code: number, what: string, timeoutMs?: number): Promise<void> {
  expectSame(await listener.next(what, timeoutMs), { type: "closing", code }, `the frame after ${what}`);
  expectSame(await listener.next(what, timeoutMs), code, `the close code after ${what}`);
}

export const liveSocket = section("live, 2", ({ suite, ann, ben, eve, seed, seedChain, make, it }) => {
  const handshake = async (headers: Record<string, string>, query = ""): Promise<Answer> => {
    const answer = await suite.sockets.handshake(`${suite.http.url}${LIVE}${query}`, { ...UPGRADE, ...headers });
    const body = answer.text === "" ? {} : JSON.parse(answer.text);
    return { ...answer, body, request: `GET ${LIVE}` };
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const offer = (subprotocols: string) => ({ "Sec-WebSocket-Protocol": subprotocols });

  it("A token comes in `Authorization: Bearer`, or as a subprotocol.", async () => {
    expectSame((await handshake(bearer(ann.token))).status, 101);
    await suite.listen(ann.token);
  });
  it("The answer selects `loyalty-edge` if it was offered.", async () => {
    const token = `bearer.${ann.token}`;
    for (const [headers, expected] of [
      [offer(token), null],
      [offer(`loyalty-edge, ${token}`), "loyalty-edge"],
      [offer(`chat,${token} ,loyalty-edge, x`), "loyalty-edge"],
      [offer(`${token}, Loyalty-Edge`), null],
      [{ ...offer("loyalty-edge"), ...bearer(ann.token) }, "loyalty-edge"],
    ] as const) {
      const answer = await handshake(headers);
      const selected = answer.headers.get("Sec-WebSocket-Protocol");
      expectSame([answer.status, selected], [101, expected], `offered ${headers["Sec-WebSocket-Protocol"]}`);
    }
  });
  it("Refusals of a handshake come in the order of failures: path, method, token, scope, rate.", async () => {
    for (const path of [`${LIVE}/x`, "/api/v1/live", "/api/v1/customer/Live"])
      expectFailure(await suite.http.send(path, { token: ann.token }), 404, "NOT_FOUND");
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await suite.http.send(LIVE, { method, token: ann.token });
      expectFailure(answer, 405, "METHOD_NOT_ALLOWED");
      expectSame(answer.headers.get("Allow"), "GET");
    }
    const feedToken = await suite.tokens.feed();
    for (const headers of [bearer(feedToken), offer(`bearer.${feedToken}`)])
      expectFailure(await handshake(headers), 403, "FORBIDDEN");
  });
  it("Two tokens are refused with 401. A token in the address is ignored.", async () => {
    const protocol = `loyalty-edge, bearer.${ann.token}`;
    for (const headers of [
      { ...bearer(ann.token), ...offer(protocol) },
      { ...bearer(eve.token), ...offer(protocol) },
      { Authorization: "Basic YTpi", ...offer(protocol) },
      { Authorization: "Bearer" },
      { Authorization: `Basic ${ann.token}` },
      bearer(`${ann.token}x`),
      offer(`${protocol}x`),
      offer("loyalty-edge, bearer."),
      offer(`loyalty-edge, ${ann.token}`),
      offer(`Bearer.${ann.token}`),
      offer(`bearer.${ann.token}, loyalty-edge, bearer.${eve.token}`),
      offer(`bearer.${ann.token},bearer.${ann.token}`),
      offer(`bearer.${ann.token},bearer.`),
    ])
      expectFailure(await handshake(headers), 401, "UNAUTHENTICATED");
    for (const name of ["token", "access_token", "bearer"])
      expectFailure(await handshake({}, `?${name}=${ann.token}`), 401, "UNAUTHENTICATED");
  });
  it("A request without an upgrade is 426 `UPGRADE_REQUIRED`.", async () => {
    // Do not check the header `Upgrade` of the answer, because proxies remove it.
    expectFailure(await suite.http.send(LIVE, { token: ann.token }), 426, "UPGRADE_REQUIRED");
  });
  it("403 `FORBIDDEN` is for a page whose `Origin` is neither the service's own nor among `CORS_ORIGINS`.", async () => {
    if (suite.settings.anyOrigin) throw new Skipped(ANY_ORIGIN);
    expectFailure(await handshake({ ...bearer(ann.token), Origin: "https://conform.example" }), 403, "FORBIDDEN");
  });
  it("The first frame is `hello`, with a bookmark.", async () => {
    await suite.listen(ann.token);
  });
  it("`ping` is answered with `pong`. Others are ignored.", async () => {
    const { listener } = await suite.listen(ann.token);
    for (const frame of ["hello?", "", "{}", '{"type":', "PING", "ping ", "ping"]) listener.socket.send(frame);
    expectSame(await listener.next("the answer to ping"), "pong");
  });
  it("A frame of more than 1 KiB closes the socket with 1009, and the 61st within a minute with 1008.", async () => {
    const text = "\u{1F600}".repeat(KIBIBYTE / 4);
    for (const [longest, tooLong] of [
      [text, `${text}x`],
      [new Uint8Array(KIBIBYTE), new Uint8Array(KIBIBYTE + 1)],
    ] as const) {
      const { listener } = await suite.listen(ann.token);
      for (const frame of [longest, "ping"]) listener.socket.send(frame);
      expectSame(await listener.next("the answer to ping after 1 KiB"), "pong");
      listener.socket.send(tooLong);
      await expectClosed(listener, 1009, "a frame of more than 1 KiB");
    }
    const { listener } = await suite.listen(ann.token);
    for (let frame = 0; frame < MOST_FRAMES_A_MINUTE; frame += 1) listener.socket.send("x");
    listener.socket.send("ping");
    expectSame(await listener.next("the answer to ping after 60 frames"), "pong");
    listener.socket.send("x");
    await expectClosed(listener, 1008, "the 61st frame");
  });
  it("A customer may have eight sockets. When a ninth opens, the oldest is closed with 4408.", async () => {
    const [oldest, second] = [await suite.listen(eve.token), await suite.listen(eve.token)];
    for (let count = 3; count <= 9; count += 1) await suite.listen(eve.token);
    await expectClosed(oldest.listener, 4408, "the oldest of nine", REPLACED_TIMEOUT_MS);
    second.listener.socket.send("ping");
    expectSame(await second.listener.next("the second of nine"), "pong");
  });
  it("When its token expires, with the usual leeway, a socket is closed with 4401.", async () => {
    const exp = Math.floor(Date.now() / 1_000) + EXPIRES_SECONDS;
    const { listener } = await suite.listen(await suite.tokens.sign({ scope: "customer", sub: ann.id, exp }));
    const withinMs = (EXPIRES_SECONDS + LEEWAY_SECONDS + 10) * 1_000;
    await expectClosed(listener, 4401, "an expired token", withinMs);
  });

  const { shop, plainCoupon } = seedChain(ann, ben);
  const talk = seed.group([ann, ben]);

  it("A read at a frame's bookmark shows everything that the frame announces.", async () => {
    const [{ listener }, text] = [await suite.listen(ann.token), suite.word()];
    await suite.feed(make.message(talk, ben, text));
    const { what, bookmark } = await listener.nextFrame("the frame of a new message");
    expectSame(what, ["messages"]);
    const poll = await suite.get(ann, "messages", { check_time: "2026-01-01 00:00:00" }, atBookmark(bookmark));
    expectThat(poll.text.includes(text), "a poll at the bookmark of a message's frame lacks the message");
  });
  it("A read at the bookmark of `hello` shows everything that was committed before the handshake.", async () => {
    const [issuedCoupon, text] = [make.issued(ann, plainCoupon, shop), suite.word()];
    await suite.feed(issuedCoupon, make.message(talk, ben, text));
    const { hello } = await suite.listen(ann.token);
    const coupons = await suite.get(ann, "coupons", {}, atBookmark(hello.bookmark));
    expectThat(coupons.text.includes(issuedCoupon.id), "a read at the bookmark of `hello` lacks a coupon");
    const messages = await suite.get(ann, "messages", {}, atBookmark(hello.bookmark));
    expectThat(messages.text.includes(text), "a read at the bookmark of `hello` lacks a message");
  });
});
