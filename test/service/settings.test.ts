import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import { describe, it } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { VARIABLES, variableFault } from "../../src/service/variables.ts";
import { type FeedLine, mustFeed, ndjson } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";
import { CALLS, customerRoutes, otherRoutes } from "../support/calls.ts";
import { program } from "../support/programs.ts";
import { keyPair } from "../support/signing.ts";
import { signToken } from "../support/tokens.ts";

interface Setting {
  /** The value of the variable that is tried, and the variables that it needs. */
  values: Readonly<Record<string, string>>;
  /** The claims that these variables need. */
  claims?: Readonly<Record<string, unknown>>;
  sign?: typeof signToken;
}

const pair = await keyPair("EdDSA", "one");
const HOUR_SECONDS = 3_600;
/** Signs as an identity provider whose public key is in JWKS. */
const signWithKey: typeof signToken = (claims) => {
  const exp = Math.floor(Date.now() / 1_000) + HOUR_SECONDS;
  return sign({ exp, ...claims }, pair.secret as unknown as Parameters<typeof sign>[1], "EdDSA");
};
const KEYS = JSON.stringify({ keys: [pair.publicJwk] });
const AUDIENCE = { values: { JWT_AUDIENCE: "loyalty" }, claims: { aud: ["loyalty"] } };
const withKeys = (text: string): Setting => ({
  values: { JWKS: text, ...AUDIENCE.values },
  claims: AUDIENCE.claims,
  sign: signWithKey,
});
/** An address that is never asked: the tokens are signed with the secret. */
const withAddress = (JWKS_URL: string): Setting => ({
  values: { JWKS_URL, ...AUDIENCE.values },
  claims: AUDIENCE.claims,
});
const LONG = "é".repeat(1_000);

/** The ends of the rule of each variable, besides the values of wrangler.toml. */
const SETTINGS: Readonly<Record<string, Setting[]>> = {
  JWKS_URL: [withAddress("http://localhost"), withAddress(`https://id.example/${LONG}`)],
  JWKS: [withKeys(KEYS), withKeys(` \n\t${KEYS}\r\n `), withKeys(`{"a":${JSON.stringify(LONG)},${KEYS.slice(1)}`)],
  JWT_ISSUER: [
    { values: { JWT_ISSUER: " " }, claims: { iss: " " } },
    { values: { JWT_ISSUER: LONG }, claims: { iss: LONG } },
  ],
  JWT_AUDIENCE: [AUDIENCE, { values: { JWT_AUDIENCE: LONG }, claims: { aud: LONG } }],
  JWT_SCOPE_CLAIM: [" ", LONG].map((name) => ({ values: { JWT_SCOPE_CLAIM: name }, claims: { [name]: ["customer"] } })),
  JWT_SUBJECT_CLAIM: [" ", LONG].map((JWT_SUBJECT_CLAIM) => ({ values: { JWT_SUBJECT_CLAIM } })),
  JWT_CUSTOMERS_WITHOUT_SCOPE: [
    { values: { JWT_CUSTOMERS_WITHOUT_SCOPE: "true", JWT_ISSUER: "id" }, claims: { iss: "id" } },
  ],
  NEARBY_RADIUS_MILES: ["0.1", "0.000000000001", "6200", "20000", "99999.999999"].map((miles) => ({
    values: { NEARBY_RADIUS_MILES: miles },
  })),
  CORS_ORIGINS: ["*", `https://app.example, ${"x://y,".repeat(500)}`].map((CORS_ORIGINS) => ({
    values: { CORS_ORIGINS },
  })),
  CUSTOMER_SEARCH: ["all", "none"].map((CUSTOMER_SEARCH) => ({ values: { CUSTOMER_SEARCH } })),
  JURISDICTION: ["eu", "fedramp"].map((JURISDICTION) => ({ values: { JURISDICTION } })),
  REVOKED_TOKENS: ["nobody", "x".repeat(5_000)].map((REVOKED_TOKENS) => ({ values: { REVOKED_TOKENS } })),
  RETENTION_MONTHS: ["1", "120"].map((RETENTION_MONTHS) => ({ values: { RETENTION_MONTHS } })),
  FEED: [],
  ENVIRONMENT: [" ", LONG].map((ENVIRONMENT) => ({ values: { ENVIRONMENT } })),
};

/** workerd has no jurisdictions: there, a namespace of one is the namespace itself. */
function withJurisdictions<T extends object>(namespace: T): T {
  return new Proxy(namespace, {
    get: (target, name) => {
      if (name === "jurisdiction") return () => target;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The API of a deployment with a setting. */
function deployment({ values, claims = {}, sign: signClaims = signToken }: Setting) {
  const namespaces = { INBOXES: withJurisdictions(env.INBOXES), FAN_OUTS: withJurisdictions(env.FAN_OUTS) };
  const bindings = { ...namespaces, JWKS_URL: "", JWKS: "", ...values };
  const request = async (ownClaims: Record<string, unknown>, path: string, init: RequestInit = {}) => {
    // Public keys verify customers' tokens only.
    const signOwn = ownClaims.scope === "customer" ? signClaims : signToken;
    const token = await signOwn({ sub: "tests", accounts: "*", ...ownClaims, ...claims });
    const origin = values.CORS_ORIGINS === undefined ? {} : { Origin: "https://app.example" };
    const headers = { Authorization: `Bearer ${token}`, ...origin, ...init.headers };
    return sendTo(bindings, path, { ...init, headers });
  };
  const ask = async (...parts: Parameters<typeof request>) => toAnswer(await request(...parts));
  return { bindings, request, ask };
}

const settings = Object.entries(SETTINGS).flatMap(([name, all]) =>
  all.map((setting): [string, string, Setting] => [name, setting.values[name]?.slice(0, 30) ?? "", setting]),
);

describe("the ends of each variable's rule", () => {
  it("stand above for every variable, and are good", ({ expect }) => {
    const faults = settings.map(([, , setting]) => variableFault({ ...env, ...setting.values }));

    expect(Object.keys(SETTINGS)).toEqual(Object.keys(VARIABLES));
    expect(faults).toEqual(settings.map(() => null));
  });
});

describe("every endpoint", () => {
  it.for(settings)("answers where %s is %j", async ([, , setting], { expect }) => {
    const own = program(crypto.randomUUID().slice(0, 8));
    await mustFeed(own.lines);
    const { ask, request, bindings } = deployment(setting);
    const customer = { scope: "customer", [setting.values.JWT_SUBJECT_CLAIM ?? "sub"]: own.customer.id };
    const api = {
      get: (path: string) => ask(customer, path),
      post: (path: string, body: unknown) => ask(customer, path, { method: "POST", body: JSON.stringify(body) }),
    };
    const feedLines = (lines: readonly FeedLine[]) =>
      ask({ scope: "feed" }, "/api/v1/feed", { method: "POST", body: ndjson(lines) });

    const answers: Record<string, number> = {};
    for (const route of customerRoutes()) answers[route] = (await CALLS[route]?.(api, own))?.status ?? 0;
    answers["POST /api/v1/feed"] = (await feedLines([own.account])).status;
    answers["GET /api/v1/feed"] = (await request({ scope: "export" }, "/api/v1/feed")).status;
    for (const list of ["changes", "requests"])
      answers[`GET /api/v1/feed/${list}`] = (await ask({ scope: "export" }, `/api/v1/feed/${list}`)).status;
    const [till, redeemed] = [{ store_id: own.store.id }, { customer_coupon_id: own.issued.id }];
    const tills: [route: string, path: string, body?: object][] = [
      ["POST /customers/find", "", { scan_id: `${own.mark} scan` }],
      ["GET /customers/:id/coupons", `/customers/${own.customer.id}/coupons?store_id=${own.store.id}`],
      ["POST /entries", "", { ...till, id: own.mark, customer_id: own.customer.id, amount: "1.00" }],
      ["POST /holds", "", { ...till, ...redeemed, id: `${own.mark} h`, seconds: 60 }],
      ["DELETE /holds/:id", `/holds/${own.mark}`],
      ["POST /redemptions", "", { ...till, ...redeemed, id: `${own.mark} r` }],
      ["POST /reversals", "", { ...till, id: `${own.mark} v`, redemption_id: `${own.mark} r` }],
      ["GET /explanations", `/explanations?customer_id=${own.customer.id}&customer_coupon_id=${own.issued.id}`],
    ];
    for (const [route, path, body] of tills) {
      const [method = "", pattern = ""] = route.split(" ");
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const answer = await ask({ scope: "till" }, `/api/v1/till${path || pattern}`, init);
      answers[`${method} /api/v1/till${pattern}`] = answer.status;
    }
    answers["GET /health"] = (await sendTo(bindings, "/health")).status;
    const socket = await request(customer, "/api/v1/customer/live", { headers: { Upgrade: "websocket" } });
    socket.webSocket?.accept();
    socket.webSocket?.close();
    answers["GET /api/v1/customer/live"] = socket.status === 101 ? 200 : socket.status;

    expect(Object.keys(answers).sort()).toEqual([...customerRoutes(), ...otherRoutes()].sort());
    expect(Object.entries(answers).filter(([, status]) => status !== 200)).toEqual([]);
  });
});
