import { expectFailure, expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import { deletionOf, type Line } from "../lines.ts";
import { UPGRADE } from "../socket.ts";
import { ANY_ORIGIN, Skipped, section } from "../suite.ts";

const QUIET_WITHIN_SECONDS = 5;
const SHOWN_WITHIN_SECONDS = 15;
const [COUPONS_CHANGED, BALANCE_CHANGED, MESSAGES_CHANGED] = ["coupons", "balance", "messages"].map((list) =>
  JSON.stringify({ type: "changed", what: [list] }),
) as [string, string, string];

export const livePolls = section("live, 1", ({ suite, ann, ben, eve, seed, make, it }) => {
  const newest = "2026-01-05 09:00:00";
  for (const caller of [ann, ben, eve]) seed.caller(caller);
  const talk = seed.group([ann, ben]);
  seed.message(talk, ben, "old", { sent_at: newest });
  const poll = () => suite.get(ann, "messages", { check_time: newest });
  /** Whether an answer took no round trip to the database. */
  const isQuiet = ({ headers }: Answer) => /trips;desc="?0"?/.test(headers.get("Server-Timing") ?? "");

  it("`Server-Timing` says 0 round trips.", async () => {
    await suite.until(poll, isQuiet, QUIET_WITHIN_SECONDS);
    await suite.until(() => suite.get(eve, "messages"), isQuiet, QUIET_WITHIN_SECONDS);
  });
  it("the inbox leaves polls to the database until their `check_time` has reached the message.", async () => {
    const [newText, oldText] = [suite.word(), suite.word()];
    const expectPollToShow = async (text: string, fedLines: Line[], nextPoll = poll) => {
      await suite.until(nextPoll, isQuiet, QUIET_WITHIN_SECONDS);
      const isShown = (answer: Answer) => answer.text.includes(text);
      await suite.feed(...fedLines);
      const next = await nextPoll();
      expectThat(isShown(next) || !isQuiet(next), "the poll after a new message is quiet");
      await suite.until(nextPoll, isShown, SHOWN_WITHIN_SECONDS);
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
/** How soon after the frame a poll must show the message. */
const FRAME_TO_POLL_SECONDS = 4;
const EXPIRES_SECONDS = 2;
const LEEWAY_SECONDS = 5;

export const liveSocket = section("live, 2", ({ suite, ann, ben, eve, seed, make, it }) => {
  const handshake = async (headers: Record<string, string>, query = ""): Promise<Answer> => {
    const answer = await suite.sockets.handshake(`${suite.http.url}${LIVE}${query}`, { ...UPGRADE, ...headers });
    const body = answer.text === "" ? {} : JSON.parse(answer.text);
    return { ...answer, body, request: `GET ${LIVE}` };
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const offer = (subprotocols: string) => ({ "Sec-WebSocket-Protocol": subprotocols });

  it("In `Authorization: Bearer`, or as a subprotocol", async () => {
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
  it("come in the order of failures (path, method, token, scope, rate).", async () => {
    for (const path of [`${LIVE}/`, `${LIVE}/x`, "/api/v1/live", "/api/v1/customer/Live"])
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
  it("Then 426 `UPGRADE_REQUIRED`", async () => {
    // Do not check the header `Upgrade` of the answer, because proxies remove it.
    expectFailure(await suite.http.send(LIVE, { token: ann.token }), 426, "UPGRADE_REQUIRED");
  });
  it("403 `FORBIDDEN` for a page whose `Origin` is neither the service's own nor among `CORS_ORIGINS`", async () => {
    if (suite.settings.anyOrigin) throw new Skipped(ANY_ORIGIN);
    expectFailure(await handshake({ ...bearer(ann.token), Origin: "https://conform.example" }), 403, "FORBIDDEN");
  });
  it('The first is `{"type":"hello"}`.', async () => {
    await suite.listen(ann.token);
  });
  it("`ping` is answered with `pong`. Others are ignored.", async () => {
    const listener = await suite.listen(ann.token);
    for (const frame of ["hello?", "", "{}", '{"type":', "PING", "ping ", "ping"]) listener.socket.send(frame);
    expectSame(await listener.next("the answer to ping"), "pong");
  });
  it("One of more than 1 KiB closes the socket with 1009, and the 61st within a minute with 1008", async () => {
    const text = "\u{1F600}".repeat(KIBIBYTE / 4);
    for (const [longest, tooLong] of [
      [text, `${text}x`],
      [new Uint8Array(KIBIBYTE), new Uint8Array(KIBIBYTE + 1)],
    ] as const) {
      const listener = await suite.listen(ann.token);
      for (const frame of [longest, "ping"]) listener.socket.send(frame);
      expectSame(await listener.next("the answer to ping after 1 KiB"), "pong");
      listener.socket.send(tooLong);
      expectSame(await listener.next("a frame of more than 1 KiB"), 1009);
    }
    const listener = await suite.listen(ann.token);
    for (let frame = 0; frame < MOST_FRAMES_A_MINUTE; frame += 1) listener.socket.send("x");
    listener.socket.send("ping");
    expectSame(await listener.next("the answer to ping after 60 frames"), "pong");
    listener.socket.send("x");
    expectSame(await listener.next("the 61st frame"), 1008);
  });
  it("A customer may have eight sockets. When a ninth opens, the oldest is closed with 4408.", async () => {
    const [oldest, second] = [await suite.listen(eve.token), await suite.listen(eve.token)];
    for (let count = 3; count <= 9; count += 1) await suite.listen(eve.token);
    expectSame(await oldest.next("the oldest of nine", REPLACED_TIMEOUT_MS), 4408);
    second.socket.send("ping");
    expectSame(await second.next("the second of nine"), "pong");
  });
  it("When its token expires, with the usual leeway, a socket is closed with 4401.", async () => {
    const exp = Math.floor(Date.now() / 1_000) + EXPIRES_SECONDS;
    const listener = await suite.listen(await suite.tokens.sign({ scope: "customer", sub: ann.id, exp }));
    const withinMs = (EXPIRES_SECONDS + LEEWAY_SECONDS + 10) * 1_000;
    expectSame(await listener.next("an expired token", withinMs), 4401);
  });

  for (const caller of [ann, ben]) seed.caller(caller);
  const talk = seed.group([ann, ben]);

  it("The frame for `messages` comes up to half a second after the second of the message is over, when the primary shows it. A poll with `check_time` then gets it", async () => {
    const [listener, text] = [await suite.listen(ann.token), suite.word()];
    await suite.feed(make.message(talk, ben, text));
    expectSame(await listener.next("the frame of a new message"), MESSAGES_CHANGED);
    const poll = () => suite.get(ann, "messages", { check_time: "2026-01-01 00:00:00" });
    await suite.until(poll, (answer) => answer.text.includes(text), FRAME_TO_POLL_SECONDS);
  });
});

const LISTEN_MS = 1_500;

export const liveChanges = section("live, 3", ({ suite, ann, ben, seed, seedChain, make, it }) => {
  const { shop, plainCoupon } = seedChain(ann, ben);
  const stranger = seed.customer();
  const talk = seed.group([ann, stranger]);

  /** Feeds lines. Resolves with the frames that each of the two customers gets. */
  const framesAfter = async (...lines: Line[]) => {
    const [listenerOfAnn, listenerOfBen] = [await suite.listen(ann.token), await suite.listen(ben.token)];
    await suite.feed(...lines);
    await suite.http.sleep(LISTEN_MS);
    // Leave out the first frame, `hello`.
    return { ann: listenerOfAnn.events.slice(1), ben: listenerOfBen.events.slice(1) };
  };
  const expectFrames = async (expected: { ann?: string[]; ben?: string[] }, ...lines: Line[]) =>
    expectSame(await framesAfter(...lines), { ann: [], ben: [], ...expected });

  it("the customer of each `customer_coupon` that was issued, changed or withdrawn.", async () => {
    const [issuedCoupon, couponOfBen] = [make.issued(ann, plainCoupon, shop), make.issued(ben, plainCoupon, shop)];
    const changedCoupon = { ...issuedCoupon, total_count: 2 };
    await expectFrames({ ann: [COUPONS_CHANGED] }, issuedCoupon);
    await expectFrames({ ann: [COUPONS_CHANGED], ben: [COUPONS_CHANGED] }, changedCoupon, couponOfBen);
    await expectFrames({ ann: [COUPONS_CHANGED] }, deletionOf(issuedCoupon));
    await expectFrames({ ben: [COUPONS_CHANGED] }, deletionOf(make.caller(ben)));
    await suite.feed(make.caller(ben));
  });
  it("A `coupon` notifies nobody: it may have a million holders", async () => {
    await expectFrames({}, { ...plainCoupon, name: suite.word() });
    await expectFrames({}, deletionOf(plainCoupon));
    await suite.feed(plainCoupon);
  });
  it("the customers of new balance entries, even if these add up to nothing", async () => {
    const entries = [make.entry(ben, shop, "1.00"), make.entry(ben, shop, "-1.00")];
    await expectFrames({ ben: [BALANCE_CHANGED] }, ...entries);
    await expectFrames({ ann: [BALANCE_CHANGED] }, ...entries, make.entry(ann, shop, "1.00"));
  });
  it("A line that changes nothing notifies nobody. Nobody hears of what concerns somebody else.", async () => {
    const group = make.group([ann, ben, stranger]);
    const repeatedLines = [
      make.entry(ben, shop, "1.00"),
      make.issued(ann, plainCoupon, shop),
      make.message(group, ann, "old", { sent_at: "2026-01-04 09:00:00" }),
    ];
    await framesAfter(group, ...repeatedLines);
    // No frame announces a change of these kinds, or another order of the members.
    const unannouncedLines = [
      { ...group, member_ids: [ann.id, stranger.id, ben.id] },
      make.messageState(group, ann, { read_at: "2026-02-01 00:00:00" }),
      deletionOf(make.message(group, ann, "unknown")),
      make.caller(ann, "Augusta Conform"),
      { ...shop, name: "Side Street" },
      make.membership(shop, ann),
      make.friendship(ann, ben, 1),
      make.block(ben, ann),
    ];
    const foreignLine = make.entry(stranger, shop, "1.00");
    await expectFrames({}, ...repeatedLines, ...unannouncedLines, foreignLine);
  });
  it("the members of a group whose shown messages changed or of which a message lost its body", async () => {
    const message = make.message(talk, ann, "rude", { sent_at: "2026-01-04 09:00:00" });
    await suite.feed(message);
    await expectFrames({ ann: [MESSAGES_CHANGED] }, deletionOf(message));
  });
  it("who was added to a group or removed from one; the members of a removed group", async () => {
    const group = make.group([ann, stranger]);
    await suite.feed(group, make.message(group, ann, "old", { sent_at: "2026-01-05 09:00:00" }));
    const frames = await framesAfter({ ...group, member_ids: [ann.id, stranger.id, ben.id] });
    expectSame(frames.ben, [MESSAGES_CHANGED]);
    await expectFrames({ ben: [MESSAGES_CHANGED] }, group);
    await expectFrames({ ann: [MESSAGES_CHANGED] }, deletionOf(group));
  });
});

export const liveVersion = section("live, 4", ({ suite, make, it }) => {
  const versionOfFeed = async () => Number((await suite.feed(make.account())).headers.get("X-Feed-Version"));

  it("Each feed request that is committed adds one to the feed version. Every 200 of the feed has it in the header `X-Feed-Version`.", async () => {
    const [first, second] = [await versionOfFeed(), await versionOfFeed()];
    // Other clients may feed meanwhile.
    expectThat(0 < first && first < second, `X-Feed-Version was ${first}, then ${second}`);
  });
});
