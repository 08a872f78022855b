import { beforeAll, describe, it } from "vitest";
import { type Answer, as, mustFeed, send } from "../support/api.ts";
import { senderTo } from "../support/bindings.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

// Every request of the original interface document, in each spelling of docs/contract/interface.md, 1. An app that was
// written against that document must never get the answer to another question.

const account = seed.account();
const store = seed.store(account.id, { id: "shop,1", name: "Main Street" });
const other = seed.store(account.id);
const campaign = seed.campaign(account.id);
const [ann, ben] = [seed.customer({ first_name: "Ann" }), seed.customer({ first_name: "Ben" })];
const mfg = seed.coupon(account.id, { kind: "mfg", type: "Dollar_Off" });
const coupon = seed.coupon(account.id, { kind: "store", type: "Free_Item" });
const contest = seed.eipCampaign(account.id);
const employee = seed.employee(account.id);
const group = seed.group([ann.id, ben.id]);

beforeAll(async () => {
  const played = { runs: "2", hits: 1 };
  await mustFeed([account, store, other, campaign, ann, ben, mfg, coupon, contest, employee, group]);
  await mustFeed([
    seed.membership(store.id, ann.id),
    seed.membership(store.id, ben.id, { referrer_id: ann.id }),
    seed.customerCoupon(ann.id, coupon.id, store.id),
    seed.customerCoupon(ann.id, coupon.id, other.id),
    seed.customerCoupon(ann.id, mfg.id, store.id),
    seed.coupon(account.id, { kind: "digital" }),
    seed.message(group.id, ben.id, { sent_at: "2026-01-06 09:00:00" }),
    seed.play(contest.id, store.id, employee.id, played),
    seed.play(contest.id, other.id, employee.id),
  ]);
});

const CUSTOMER = "/api/v1/customer";
const NEARBY = `${CUSTOMER}/campaigns/near-by-popular-campaigns`;
const MESSAGES = `${CUSTOMER}/messages`;
const TEAM = `${CUSTOMER}/stores/${encodeURIComponent(store.id)}/team-with-level`;
const COUPONS = `${CUSTOMER}/coupons`;
const MY_COUPONS = `${CUSTOMER}/my-coupons`;
const SEARCH = `${CUSTOMER}/full-search`;
const BOARD = `${CUSTOMER}/gamification/leaderboard`;

interface Request {
  path: string;
  body?: unknown;
  /** The body as it is sent, in place of JSON. */
  text?: string;
  type?: string;
}

async function ask({ path, body, text, type }: Request): Promise<Answer> {
  const isPost = body !== undefined || text !== undefined;
  const headers = { Authorization: `Bearer ${await customerToken(ann.id)}`, ...(type && { "Content-Type": type }) };
  return send(path, { headers, ...(isPost && { method: "POST", body: text ?? JSON.stringify(body) }) });
}

const position = { latitude: 35.47, longitude: -97.52 };
const nearby = { ...position, count: 8, single_account_id: account.id };
const stores = `storeId=${other.id}&storeId=${encodeURIComponent("shop,1")}`;
const board = { location_id: store.id, eip_campaign_id: contest.id };

/** Requests, each in its plain spelling and in others with the same answer. */
const SPELLINGS: Record<string, [plain: Request, ...others: Request[]]> = {
  "4.1 nearby": [
    { path: NEARBY, body: nearby },
    { path: NEARBY, body: { ...nearby, single_account_id: Number(account.id) } },
    { path: NEARBY, body: { ...nearby, latitude: "35.47", longitude: "-97.52", count: "8.0" } },
    { path: NEARBY, body: { ...nearby, count: null } },
    { path: NEARBY, body: { ...nearby, nobody: "knows" } },
    { path: NEARBY, text: ` ${JSON.stringify(nearby)}\r\n`, type: "application/x-www-form-urlencoded" },
    { path: `${NEARBY}/`, body: nearby },
    { path: NEARBY.replaceAll("/", "//").slice(1), body: nearby },
  ],
  "4.2 messages": [
    { path: `${MESSAGES}?page=1&per_page=50&check_time=2026-01-05%2010:00:00` },
    { path: `${MESSAGES}?check_time=2026-01-05+10:00:00` },
    { path: `${MESSAGES}?page=&per_page=&check_time=2026-01-05T10:00:00Z` },
    { path: `${MESSAGES}?page=1.0&check_time=2026-01-05T11:00:00%2B01:00` },
    { path: `${MESSAGES}/?check_time=2026-01-05%2010:00:00` },
  ],
  "4.3 team": [
    { path: `${TEAM}?level_no=1&team_member_id=${ann.id}&per_page=10&page=1` },
    { path: `${TEAM}?level_no=1.0&team_member_id=&page=` },
    { path: `${TEAM}/?level_no=1&nobody[]=knows` },
  ],
  "4.4 coupons": [
    { path: `${COUPONS}?includemfg=true&include_images=false&search=&type=free_item&accountId=${account.id}` },
    { path: `${COUPONS}?includemfg=1&include_images=0&type=FREE_ITEM` },
    { path: `${COUPONS}//?includemfg=TRUE&type=Free_Item` },
  ],
  "4.5 my-coupons": [
    { path: `${MY_COUPONS}?${stores}&type=store&digitalonly=false&includemfg=true&page=1&per_page=50` },
    { path: `${MY_COUPONS}?storeId=${other.id}&storeId=shop,1&type=Store` },
    { path: `${MY_COUPONS}?storeId[]=${other.id}&storeId[]=shop%2C1&type=STORE` },
    { path: `${MY_COUPONS}?storeId%5B0%5D=${other.id}&storeId%5B1%5D=shop%2C1&type=store&digitalonly=False` },
    { path: `${MY_COUPONS}?storeId=%20${other.id}%20,,&storeId[0]=shop,1&type=store` },
  ],
  "4.5 one store of several": [
    { path: `${MY_COUPONS}?storeId=shop,1&type=store` },
    { path: `${MY_COUPONS}?storeId[]=shop,1&type=store` },
    { path: `${MY_COUPONS}/?storeId%5B%5D=shop%2C1&type=store` },
  ],
  "4.6 search": [
    { path: SEARCH, body: { query: "main", filter: "stores,customers" } },
    { path: SEARCH, body: { query: " main ", filter: "Customers , STORE" } },
    { path: SEARCH, body: { query: "main", filter: ["stores", "customers"], typos: null } },
    { path: SEARCH, body: { query: "main", filter: ["Customer", "store"] }, type: "text/plain" },
  ],
  "4.6 search of everything": [
    { path: SEARCH, body: { query: "main" } },
    { path: SEARCH, body: { query: "main", filter: null } },
    { path: SEARCH, body: { query: "main", filter: [] } },
    { path: SEARCH, body: { query: "main", filter: "" } },
    { path: `${SEARCH}/`, body: { query: "main", filter: "campaign,store,customer" } },
  ],
  "4.7 leaderboard": [
    { path: BOARD, body: { ...board, rank_on: "hit" } },
    { path: BOARD, body: { ...board, rank_on: "HIT" } },
    { path: `${BOARD}?location_id=shop,1`, body: { eip_campaign_id: contest.id, rank_on: "Hit" } },
    { path: `${BOARD}?location_id=nobody`, body: { ...board, rank_on: "hit" } },
    { path: `${BOARD}/?location_id=`, body: { ...board, rank_on: "hit" } },
  ],
  "4.7 leaderboard of all that run": [
    { path: `${BOARD}?location_id=shop,1`, body: {} },
    { path: `${BOARD}?location_id=shop,1`, text: "" },
    { path: `${BOARD}?location_id=shop,1`, text: " \n" },
    { path: BOARD, body: { location_id: "shop,1", eip_campaign_id: null, rank_on: "" } },
  ],
};

describe("a request in another spelling", () => {
  it.for(
    Object.entries(SPELLINGS).flatMap(([name, [plain, ...others]]) =>
      others.map((other) => ({ name, plain, other, as: `${other.path} ${other.text ?? JSON.stringify(other.body)}` })),
    ),
  )("has the same answer: $name as $as", async ({ plain, other }, { expect }) => {
    const expected = await ask(plain);

    const { status, body } = await ask(other);

    expect(JSON.stringify(expected.body)).toMatch(/"(items|stores)":.*"(id|employee_id|group_id)":/);
    expect([status, body]).toEqual([200, expected.body]);
  });

  it("asks for no other store with an id that has a comma", async ({ expect }) => {
    const answer = await ask({ path: `${MY_COUPONS}?storeId=shop,1&type=store` });

    expect(answer.body.items.store).toHaveLength(1);
  });
});

const NOT_AN_OBJECT = "must be a JSON object: it is ";

describe("a request that could be misread", () => {
  it.for<[path: string, field: string]>([
    [`${MY_COUPONS}?storeId[x]=a`, "storeId"],
    [`${MY_COUPONS}?storeId[0][id]=a`, "storeId"],
    [`${MY_COUPONS}?type[]=store`, "type"],
    [`${COUPONS}?search[0]=a`, "search"],
    [`${COUPONS}?search=a&search=a`, "search"],
    [`${MESSAGES}?check_time[gt]=2026-01-05`, "check_time"],
    [`${TEAM}?level_no[]=1`, "level_no"],
    [`${TEAM}?page[number]=2&per_page=0`, "page"],
    [`${MY_COUPONS}?digitalonly=yes`, "digitalonly"],
    [`${MY_COUPONS}?type=digital`, "type"],
  ])("is refused, by its field: GET %s", async ([path, field], { expect }) => {
    const { status, body } = await ask({ path });

    expect([status, body.errorCode, Object.keys(body.messages)]).toEqual([
      422,
      "VALIDATION_EXCEPTION",
      expect.arrayContaining([field]),
    ]);
  });

  it.for<[path: string, body: object, field: string]>([
    [NEARBY, { ...nearby, single_account_id: null }, "single_account_id"],
    [NEARBY, { ...nearby, single_account_id: 1.5 }, "single_account_id"],
    [NEARBY, { ...nearby, single_account_id: undefined }, "single_account_id"],
    [NEARBY, { ...nearby, latitude: null }, "latitude"],
    [NEARBY, { ...nearby, count: "" }, "count"],
    [SEARCH, { query: "main", filter: "people" }, "filter"],
    [SEARCH, { query: "main", filter: [7] }, "filter"],
    [SEARCH, { query: "main", typos: "false" }, "typos"],
    [SEARCH, {}, "query"],
    [BOARD, {}, "location_id"],
    [`${BOARD}?location_id[]=s`, {}, "location_id"],
    [`${BOARD}?location_id=s&location_id=t`, {}, "location_id"],
  ])("is refused, by its field: POST %s %j", async ([path, body, field], { expect }) => {
    const answer = await ask({ path, body });

    expect([answer.status, Object.keys(answer.body.messages)]).toEqual([422, [field]]);
  });

  it.for<[text: string, is: string]>([
    ["[1]", "an array"],
    ["null", "null"],
    ['"main"', "a string"],
    ["query=main&filter=stores", "a form"],
    ["filter%5B%5D=stores", "a form"],
    ['--x\r\nContent-Disposition: form-data; name="query"\r\n\r\nmain\r\n--x--', "a form"],
    ['{"query":}', "not JSON, at character 10 stands }"],
  ])("is refused for what its body is: %j", async ([text, is], { expect }) => {
    const { status, body } = await ask({ path: SEARCH, text });

    expect([status, body]).toEqual([
      400,
      { status: false, errorCode: "VALIDATION_EXCEPTION", messages: { body: [`${NOT_AN_OBJECT}${is}`] } },
    ]);
  });

  it.for(["", " \n", "{}", " { } "])("is a GET with a body without parameters: %j", async (text, { expect }) => {
    expect((await getWithBody(`${COUPONS}?type=free_item`, text)).status).toBe(200);
  });

  it.for([MESSAGES, TEAM, COUPONS, MY_COUPONS, `${CUSTOMER}/me`, `${CUSTOMER}/me/entries`])(
    "is refused: a GET of %s with parameters in its body",
    async (path, { expect }) => {
      const { status, body } = await getWithBody(path, '{"storeId":"shop,1"}');

      expect([status, body]).toEqual([
        400,
        {
          status: false,
          errorCode: "VALIDATION_EXCEPTION",
          messages: { body: ["parameters of a GET are in the query string"] },
        },
      ]);
    },
  );
});

const getWithBody = async (path: string, body: string) =>
  senderTo({})(path, { headers: { Authorization: `Bearer ${await customerToken(ann.id)}` }, body });

describe("a word of a closed set", () => {
  it("that is unknown gets the four values of rank_on", async ({ expect }) => {
    const { status, body } = await as(ann.id).post(BOARD, { ...board, rank_on: "Runs" });

    expect([status, body]).toEqual([
      422,
      { status: false, message: "rank_on must be one of run, hit, double or triple." },
    ]);
  });
});
