import { expectFailure, expectOk, expectSame, expectThat } from "../expect.ts";
import type { Answer, Item } from "../http.ts";
import { Skipped } from "../outcome.ts";
import { UPGRADE } from "../socket.ts";
import { ANY_ORIGIN, section } from "../suite.ts";

const LIST = "/api/v1/customer/coupons";
const OTHER_ORIGIN = "https://conform.example";
const PATHS_WITH_ETAG = ["coupons", "my-coupons", "me"];
const ENDPOINTS = [
  ...["campaigns/near-by-popular-campaigns", "messages", "stores/{id}/team-with-level", "coupons", "my-coupons"],
  ...["full-search", "gamification/leaderboard", "me"],
];

export const around = section("interface, 6", ({ suite, ann, ben, seed, seedChain, make, it }) => {
  it("Answers that may come from a replica have the header `X-D1-Bookmark`.", async () => {
    for (const path of [LIST, "/api/v1/customer/my-coupons"]) {
      const { headers } = await suite.http.send(path, { token: ann.token });
      expectThat((headers.get("X-D1-Bookmark") ?? "") !== "", `${path} has no X-D1-Bookmark`);
    }
  });
  it("With a bookmark that this service did not sign, the primary answers.", async () => {
    const bookmark = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff";
    expectOk(await suite.http.send(LIST, { token: ann.token, headers: { "X-D1-Bookmark": bookmark } }));
  });
  it("`GET /health` answers with the version, without a token.", async () => {
    const { status, body } = await suite.http.send("/health");
    expectSame([status, typeof (body.items as Item).version], [200, "string"]);
  });
  it("`GET /openapi.json` is the OpenAPI document, for pages of every origin.", async () => {
    const { status, body } = await suite.http.send("/openapi.json");
    expectSame([status, String(body.openapi).slice(0, 2)], [200, "3."]);
    const paths = Object.keys(body.paths ?? {});
    const missingEndpoints = ENDPOINTS.filter((path) => !paths.includes(`/api/v1/customer/${path}`));
    expectSame(missingEndpoints, []);
  });
  it("A browser page of another origin may call only if `CORS_ORIGINS` names its origin. A preflight from any other is 403 `FORBIDDEN`, and says so.", async () => {
    if (suite.settings.anyOrigin) throw new Skipped(ANY_ORIGIN);
    const headers = { Origin: OTHER_ORIGIN, "Access-Control-Request-Method": "GET" };
    const preflight = await suite.http.send(LIST, { method: "OPTIONS", headers });
    expectFailure(preflight, 403, "FORBIDDEN");
    const answer = await suite.http.send(LIST, { token: ann.token, headers: { Origin: OTHER_ORIGIN } });
    const allowedOrigins = [preflight, answer].map(({ headers }) => headers.get("Access-Control-Allow-Origin"));
    expectSame(allowedOrigins, [null, null]);
  });
  it("Spelling does not matter: `HTTPS://Host:443` is the origin `https://host`.", async () => {
    const { protocol, hostname, port } = new URL(suite.http.url);
    const usualPort = protocol === "https:" ? 443 : 80;
    const answer = await suite.sockets.handshake(`${suite.http.url}/api/v1/customer/live`, {
      ...UPGRADE,
      Authorization: `Bearer ${ann.token}`,
      Origin: `${protocol}//${hostname}:${port || usualPort}`.toUpperCase(),
    });
    expectSame(answer.status, 101);
  });

  const { shop, plainCoupon } = seedChain(ann);
  seed.issued(ann, plainCoupon, shop);

  it("A list has a weak `ETag`, `Cache-Control: private, no-cache` and `Vary: Authorization`.", async () => {
    for (const path of PATHS_WITH_ETAG) {
      const { request, headers } = await suite.get(ann, path);
      const actual = [/^W\/".*"$/.test(headers.get("ETag") ?? ""), headers.get("Cache-Control")];
      expectSame(actual, [true, "private, no-cache"], `a weak ETag and Cache-Control of ${request}`);
      const vary = (headers.get("Vary") ?? "").split(/, */);
      expectThat(vary.includes("Authorization"), `${request} has Vary: ${vary}`);
    }
  });
  it("A request whose `If-None-Match` names the tag, among others or as `*`, is answered 304.", async () => {
    for (const path of PATHS_WITH_ETAG) {
      const tag = (await suite.get(ann, path)).headers.get("ETag") ?? "";
      const strongTag = tag.replace("W/", "");
      for (const tags of [tag, `"other", ${tag}`, `${strongTag},W/"b,c"`, strongTag, "*", " * "]) {
        const answer = await suite.get(ann, path, {}, { headers: { "If-None-Match": tags } });
        expectSame([answer.status, answer.text], [304, ""], `${path} with the tags ${tags}`);
        expectSame(answer.headers.get("ETag"), tag);
      }
      for (const otherTags of ['"other"', `"a${strongTag.slice(1)}`, '"*"', "W/*", "", '""']) {
        const answer = await suite.get(ann, path, {}, { headers: { "If-None-Match": otherTags } });
        expectSame(answer.status, 200, `${path} with the tags ${otherTags}`);
      }
    }
  });
  it("Equal bodies have equal tags, in every data centre.", async () => {
    const tagOf = async () => (await suite.get(ann, "me")).headers.get("ETag");
    const tag = await tagOf();
    expectSame(await tagOf(), tag);
    await suite.feed(make.caller(ann, "Conny Conform", { customer_description: "moved" }));
    expectThat((await tagOf()) !== tag, "another body has the same tag");
  });
  it("Failures and all other answers of the API are `no-store`.", async () => {
    const anyTag = { headers: { "If-None-Match": "*" } };
    const answers = [
      await suite.get(ann, "messages", {}, anyTag),
      await suite.get(ann, "coupons", { search: "nothing" }, anyTag),
      await suite.get(ann, "my-coupons", { search: "nothing" }, anyTag),
      await suite.get(ann, "stores/nowhere/team-with-level", {}, anyTag),
      await suite.get(ben, "me", {}, anyTag),
      await suite.get(ann, "coupons", { includemfg: "maybe" }, anyTag),
      await suite.post(ann, "full-search", { query: "abc" }),
    ];
    for (const { request, headers } of answers) {
      const actual = [headers.get("Cache-Control"), headers.get("ETag")];
      expectSame(actual, ["private, no-store", null], `Cache-Control and ETag of ${request}`);
    }
  });
  it("Send it back with the next request, and its answer is at least as new.", async () => {
    const issuedCoupon = make.issued(ann, plainCoupon, shop);
    await suite.feed(issuedCoupon);
    const listsCoupon = ({ text }: Answer) => text.includes(issuedCoupon.id);
    const first = await suite.until(() => suite.http.send(LIST, { token: ann.token }), listsCoupon, 30);
    const bookmark = first.headers.get("X-D1-Bookmark") ?? "";
    const next = await suite.http.send(LIST, { token: ann.token, headers: { "X-D1-Bookmark": bookmark } });
    expectThat(listsCoupon(next), "an answer with its bookmark lacks what an earlier one had");
  });
});
