import type { Claims } from "../../lib/sign.ts";
import { expectFailure, expectOk } from "../expect.ts";
import type { Answer } from "../http.ts";
import { section } from "../suite.ts";

const LIST = "/api/v1/customer/coupons";
const FEED = "/api/v1/feed";
const MOST_CHARACTERS = 8_192;
const now = () => Math.floor(Date.now() / 1_000);

export const tokens = section("interface, 2", ({ suite, ann, make, it }) => {
  it("Every request carries `Authorization: Bearer <JWT>`, in every environment.", async () => {
    expectRefused(await suite.http.send(LIST));
    expectRefused(await suite.http.send(LIST, { headers: { Authorization: `Basic ${ann.token}` } }));
    const subprotocol = { "Sec-WebSocket-Protocol": `loyalty-edge, bearer.${ann.token}` };
    expectRefused(await suite.http.send(LIST, { headers: subprotocol }));
    expectOk(await readCoupons(ann.token));
  });
  it("A token with `sub` reads `/api/v1/customer/*` as that customer.", async () => {
    expectFailure(await suite.http.send(FEED, { token: ann.token, body: "{}" }), 403, "FORBIDDEN");
    expectFailure(await suite.http.send(FEED, { token: ann.token }), 403, "FORBIDDEN");
  });
  it("A scope allows what its row says and nothing else.", async () => {
    const [feedToken, exportToken] = [await suite.tokens.feed(), await suite.tokens.export()];
    for (const token of [feedToken, exportToken]) expectFailure(await readCoupons(token), 403, "FORBIDDEN");
    expectFailure(await suite.http.send(FEED, { token: exportToken, body: "{}" }), 403, "FORBIDDEN");
    expectFailure(await suite.http.send(FEED, { token: feedToken }), 403, "FORBIDDEN");
  });
  it("`scope` is a string, and may hold several words with blanks between them, or it is an array.", async () => {
    for (const scope of ["openid customer profile", ["openid", "customer"]]) expectOk(await readCouponsWith({ scope }));
    for (const scope of ["customers", "Customer", ["customers", 7], { customer: true }, undefined])
      expectFailure(await readCouponsWith({ scope }), 403, "FORBIDDEN");
  });
  it("HS256 is checked with `JWT_SECRET` and `FEED_JWT_SECRET` only.", async () => {
    for (const alg of ["none", "None", "HS384", "HS512", "RS256"]) expectRefused(await readCouponsWith({}, { alg }));
    expectRefused(await readCoupons(await suite.tokens.sign(customer, {}, "another secret of thirty-two bytes")));
  });
  it("A token of the other kind's secret is refused.", async () => {
    const scope = { scope: "feed restore export till", accounts: "*" };
    const customersToken = await suite.tokens.sign({ ...customer, ...scope });
    expectRefused(await suite.http.send(FEED, { token: customersToken, body: "{}" }));
    expectRefused(await suite.http.send(FEED, { token: customersToken }));
    expectRefused(await readCoupons(await suite.tokens.signMachine(customer)));
  });
  it("Words of the other kind are ignored.", async () => {
    const scope = { scope: "customer feed export", accounts: "*" };
    expectOk(await readCouponsWith(scope));
    expectFailure(
      await suite.http.send(FEED, { token: await suite.tokens.sign({ ...customer, ...scope }) }),
      403,
      "FORBIDDEN",
    );
    expectFailure(await readCoupons(await suite.tokens.signMachine(scope)), 403, "FORBIDDEN");
  });
  it("A token has `exp` and a string `sub` of 1 to 64 characters.", async () => {
    for (const exp of [undefined, now() - 60]) expectRefused(await readCouponsWith({ exp }));
    for (const sub of [undefined, 7, "", "x".repeat(65)]) expectRefused(await readCouponsWith({ sub }));
    expectOk(await readCouponsWith({ sub: suite.id("x").padEnd(64, "x") }));
  });
  it("An `exp` after 2189 is refused.", async () => {
    for (const exp of [Date.UTC(2190, 0) / 1_000, Date.now() + 60_000]) expectRefused(await readCouponsWith({ exp }));
    expectOk(await readCouponsWith({ exp: Date.UTC(2190, 0) / 1_000 - 1 }));
  });
  it("`nbf` is checked if present.", async () => {
    expectRefused(await readCouponsWith({ nbf: now() + 600 }));
    expectOk(await readCouponsWith({ nbf: now() - 60 }));
  });
  it("`typ` is `JWT`, `at+jwt` or absent.", async () => {
    for (const typ of ["at+jwt", undefined]) expectOk(await readCouponsWith({}, { typ }));
    expectRefused(await readCouponsWith({}, { typ: "logout+jwt" }));
  });
  it("A token has at most 8,192 characters.", async () => {
    expectRefused(await readCouponsWith({ padding: "x".repeat(MOST_CHARACTERS) }));
    expectOk(await readCouponsWith({ padding: "x".repeat(MOST_CHARACTERS / 2) }));
  });
  it("A customer who is not stored has no data.", async () =>
    expectFailure(await readCouponsWith({ sub: suite.id("nobody") }), 200, "NO_ITEMS"));

  const customer = { scope: "customer", sub: ann.id };

  const readCoupons = (token: string) => suite.http.send(LIST, { token });
  const readCouponsWith = async (claims: Claims, header: Claims = {}) =>
    readCoupons(await suite.tokens.sign({ ...customer, ...claims }, header));
  const expectRefused = (answer: Answer) => expectFailure(answer, 401, "UNAUTHENTICATED");

  it("A feed token writes records of its accounts. `[]` covers no account.", async () => {
    const [ownAccount, otherAccount] = [make.account(), make.account()];
    const token = (accounts: unknown) => suite.tokens.signMachine({ scope: "feed", accounts });
    expectOk(await suite.send([ownAccount], await token([ownAccount.id])));
    expectFailure(await suite.send([otherAccount], await token([ownAccount.id])), 403, "FORBIDDEN");
    for (const accounts of [[], undefined, ownAccount.id, [Number(ownAccount.id)]])
      expectFailure(await suite.send([ownAccount], await token(accounts)), 403, "FORBIDDEN");
    expectOk(await suite.send([otherAccount], await token("*")));
  });
});
