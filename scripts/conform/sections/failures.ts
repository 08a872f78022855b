import type { Call } from "../../lib/call.ts";
import { expectFailure, expectInvalid, expectOk, expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import { section } from "../suite.ts";

const NEARBY = "campaigns/near-by-popular-campaigns";
const NEARBY_PATH = `/api/v1/customer/${NEARBY}`;
const BOARD = "gamification/leaderboard";
const MOST_BYTES = 64 * 1_024;
const SEARCH = "full-search";
const [LONG, LONG_ID, MARKS] = ["x".repeat(101), "x".repeat(65), "abc".padEnd(34, "\u0316")];

/** Paths whose parameters are all bad. */
const BAD_QUERIES = [
  "messages?page=0&per_page=101&check_time=2026-02-30%2000:00:00",
  "messages?page=1&page=2&check_time=2026-01-01&check_time=x&after=y&after=z",
  "stores/s/team-with-level?level_no=6&per_page=0&page=x",
  "stores/s/team-with-level?level_no=1.5",
  "stores/s/team-with-level?level_no=1&level_no=2&team_member_id=a&team_member_id=b",
  `stores/s/team-with-level?team_member_id=${LONG_ID}`,
  "coupons?includemfg=yes&include_images=2",
  "coupons?search=a&search=b&type=a&type=b&accountId=1&accountId=2",
  `coupons?search=${LONG}&type=${LONG}&accountId=${LONG_ID}`,
  `coupons?search=${MARKS}&type=${MARKS}&accountId=${MARKS}`,
  "coupons?includemfg=1&includemfg=1",
  "my-coupons?digitalonly=maybe&includemfg=2&type=digital",
  `my-coupons?type=store&type=mfg&storeId=a,${LONG_ID}&search=${LONG}`,
];

/** Bodies with bad fields. Without `fields`, all fields of the body are bad. */
const BAD_BODIES: readonly (readonly [path: string, body: object, fields?: string])[] = [
  [NEARBY, {}, "latitude longitude single_account_id"],
  [NEARBY, { latitude: 91, longitude: "east", count: 0 }, "count latitude longitude single_account_id"],
  [NEARBY, { latitude: "8x", longitude: "1e2", single_account_id: 7.5, count: 0 }],
  [NEARBY, { latitude: "9".repeat(400), longitude: "NaN", single_account_id: LONG_ID }],
  [SEARCH, { query: 123, filter: "shops", typos: "no" }],
  [SEARCH, { query: MARKS, filter: MARKS }],
  [SEARCH, { query: "abc\u0000", filter: ["shops"], typos: "" }],
  [`${BOARD}?location_id=a&location_id=b`, {}, "location_id"],
  [`${BOARD}?location_id=${LONG_ID}`, {}, "location_id"],
  [`${BOARD}?location_id=..`, { eip_campaign_id: " e" }, "location_id eip_campaign_id"],
  [`${BOARD}?location_id=a`, { location_id: 0.5, eip_campaign_id: LONG_ID }],
  [BOARD, { eip_campaign_id: true, rank_on: "home run" }, "location_id eip_campaign_id"],
];

export const failures = section("interface, 3", ({ suite, ann, seedChain, it }) => {
  const unknownId = suite.id("unknown");
  const send = (path: string, request: Call = {}) => suite.http.send(path, request);
  const post = (body: string, token = ann.token) => send(NEARBY_PATH, { token, body });

  it("Every failure is a JSON object with `status: false`.", async () => {
    const answers: Answer[] = [
      await send("/api/v1/nowhere", { token: ann.token }),
      await send(NEARBY_PATH, { token: ann.token, method: "DELETE" }),
      await post("{"),
      await send("/api/v1/customer/coupons"),
    ];
    for (const { request, status, body, headers } of answers) {
      expectThat(status >= 400 && body.status === false, `${request} answered ${status} without status: false`);
      expectThat(/^application\/json/.test(headers.get("Content-Type") ?? ""), `${request} is not JSON`);
    }
  });
  it("The first of these checks that fails decides the answer.", async () => {
    const large = " ".repeat(MOST_BYTES + 1);
    expectFailure(await send("/api/v1/nowhere"), 404, "NOT_FOUND");
    expectFailure(await send(NEARBY_PATH, { method: "DELETE" }), 405, "METHOD_NOT_ALLOWED");
    expectFailure(await send(NEARBY_PATH, { body: "{" }), 401, "UNAUTHENTICATED");
    expectFailure(await post(large), 413, "PAYLOAD_TOO_LARGE");
    expectFailure(await post("["), 400, "VALIDATION_EXCEPTION", ["body"]);
  });
  it("What only the database knows is checked last: 403 before 404 before 422.", async () =>
    expectInvalid(await suite.get(ann, `stores/${unknownId}/team-with-level`, { level_no: "9" }), "level_no"));
  it("No messages, or no coupons in either coupon list, is `NO_ITEMS`.", async () => {
    const token = await suite.tokens.sign({ scope: "customer", sub: suite.id("nobody") });
    for (const list of ["messages", "coupons", "my-coupons"])
      expectFailure(await send(`/api/v1/customer/${list}`, { token }), 200, "NO_ITEMS");
  });
  it("A 422 names every bad field.", async () => {
    for (const path of BAD_QUERIES) {
      const parameters = new URLSearchParams(path.split("?")[1]).keys();
      expectInvalid(await send(`/api/v1/customer/${path}`, { token: ann.token }), ...new Set(parameters));
    }
    for (const [path, body, fields] of BAD_BODIES)
      expectInvalid(await suite.post(ann, path, body), ...(fields?.split(" ") ?? Object.keys(body)));
  });
  it("A body that is not a JSON object, or breaks off, is 400.", async () => {
    for (const body of ["[]", "7", "null", '"x"', '{"latitude": 1', "not JSON", '{"a":1}x', "\uFEFF[]"])
      expectFailure(await post(body), 400, "VALIDATION_EXCEPTION", ["body"]);
  });
  it("A wrong `rank_on` gets a `message` with the four values, unless other fields are bad.", async () => {
    for (const rank_on of ["steals", "Runs", 1, 0, false, ["run"]]) {
      const { status, body } = await suite.post(ann, BOARD, { location_id: unknownId, rank_on });
      expectSame([status, Object.keys(body).sort()], [422, ["message", "status"]]);
      const missing = ["run", "hit", "double", "triple"].filter((value) => !String(body.message).includes(value));
      expectSame(missing, []);
    }
    expectInvalid(await suite.post(ann, BOARD, { rank_on: "steals" }), "location_id");
  });
  it("A 401 has the header `WWW-Authenticate: Bearer`, and is the same for every cause.", async () => {
    const causes = [{}, { token: "nonsense" }, { token: `${ann.token}x` }, { token: "" }];
    const answers = await Promise.all(causes.map((request) => send("/api/v1/customer/coupons", request)));
    // In development it says the cause, too.
    const toBody = ({ body }: Answer) => ({
      ...body,
      message: String(body.message).replace(/ The token was refused: .* \(docs\/tokens\.md\)\./, ""),
    });
    const [first, ...others] = answers;
    for (const answer of answers) {
      expectFailure(answer, 401, "UNAUTHENTICATED");
      expectSame(answer.headers.get("WWW-Authenticate"), "Bearer");
    }
    for (const answer of others) expectSame(toBody(answer), first && toBody(first));
  });
  it("An unknown path or store is 404, also an id of more than 64 characters.", async () => {
    const paths = ["", "/", "/nowhere", "/stores", "/messages/1"];
    const stores = [unknownId, LONG_ID].map((id) => `/stores/${id}/team-with-level`);
    for (const path of [...paths, ...stores])
      expectFailure(await send(`/api/v1/customer${path}`, { token: ann.token }), 404, "NOT_FOUND");
  });
  it("Another method is 405, with the header `Allow`.", async () => {
    for (const [path, method, allowed] of [
      [NEARBY_PATH, "GET", "POST"],
      ["/api/v1/customer/coupons", "POST", "GET"],
      ...["PUT", "DELETE", "PATCH", "OPTIONS"].map((method) => [NEARBY_PATH, method, "POST"] as const),
    ] as const) {
      const answer = await send(path, { method, token: ann.token });
      expectFailure(answer, 405, "METHOD_NOT_ALLOWED");
      const methods = (answer.headers.get("Allow") ?? "").split(/, */);
      expectThat(methods.includes(allowed), `${answer.request} has Allow: ${methods}`);
    }
  });
  it("A body that is too large is 413.", async () =>
    expectFailure(await post(`{"padding": "${"x".repeat(MOST_BYTES)}"}`), 413, "PAYLOAD_TOO_LARGE"));
  it("Every answer has the headers `X-Request-Id` and `Server-Timing`.", async () => {
    const answers = [await suite.get(ann, "coupons"), await send("/nowhere"), await post("{")];
    for (const { request, headers } of answers) {
      expectThat((headers.get("X-Request-Id") ?? "") !== "", `${request} has no X-Request-Id`);
      const timing = headers.get("Server-Timing") ?? "";
      expectThat(/d1;dur=\d+\.\d, trips;desc="\d+"/.test(timing), `${request} has Server-Timing: ${timing}`);
    }
    const ids = new Set(answers.map(({ headers }) => headers.get("X-Request-Id")));
    expectSame(ids.size, answers.length);
  });
  it("A text parameter has at most 100 characters.", async () =>
    expectInvalid(await suite.get(ann, "coupons", { search: LONG }), "search"));
  it("An id has at most 64 characters.", async () =>
    expectInvalid(await suite.post(ann, BOARD, { location_id: LONG_ID }), "location_id"));
  it("A bad item of a list stands under the list's field, with its index in the text.", async () => {
    const answer = await suite.get(ann, "my-coupons", { storeId: `a,b,${LONG_ID}` });
    expectInvalid(answer, "storeId");
    // The index is 2 or 3: the contract does not say whether it counts from 0 or 1.
    expectThat(/2|3/.test(JSON.stringify(answer.body.messages)), "the text has no index");
  });

  const { shop } = seedChain(ann);

  it("The team of a member who is not in the caller's team is 403.", async () => {
    const path = `stores/${shop.id}/team-with-level`;
    expectFailure(await suite.get(ann, path, { team_member_id: unknownId }), 404, "NOT_FOUND");
    expectOk(await suite.get(ann, path));
  });
});
