import { describe, it } from "vitest";
import { BINDINGS, SECRETS, VARIABLES, variableFault } from "../../src/service/variables.ts";
import config from "../../wrangler.toml?raw";

const GOOD = { ENVIRONMENT: "production", NEARBY_RADIUS_MILES: "25" };
const KEYS = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}';
const PRIVATE_KEYS = KEYS.replace('"x":', '"d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":');

describe("the variables of wrangler.toml", () => {
  it.for<[name: string, ...good: (string | object)[]]>([
    ["NEARBY_RADIUS_MILES", "25", "0.5", "99999"],
    ["JWKS_URL", "", { JWKS_URL: "https://id.example/keys", JWT_AUDIENCE: "loyalty" }],
    ["JWKS_URL", { JWKS_URL: "http://127.0.0.1:8080/keys", JWT_AUDIENCE: "loyalty" }],
    ["JWKS", "", { JWKS: KEYS, JWT_AUDIENCE: "loyalty" }],
    ["JWT_CUSTOMERS_WITHOUT_SCOPE", "", { JWT_CUSTOMERS_WITHOUT_SCOPE: "true", JWT_ISSUER: "https://id.example" }],
    ["CORS_ORIGINS", "", "*", "https://app.example", "https://app.example, http://localhost:5173"],
    ["CORS_ORIGINS", "capacitor://localhost,ionic://localhost", "https://app.example,", "HTTPS://App.example:443"],
    ["CUSTOMER_SEARCH", "", "all", "friends", "none"],
    ["CHANGES_DAYS", "", "1", "30", "400"],
    ["CUSTOMER_WRITES", "", "read", "read,mute,block", " block , read ,"],
    ["JURISDICTION", "", "eu", "us", "fedramp"],
    ["RETENTION_MONTHS", "", "1", "120"],
    ["FEED", "", "restore"],
    ["REVOKED_TOKENS", "", "c1, 5f0c7e6a-1b2d-4c3e-8f90-a1b2c3d4e5f6", "é".repeat(2_500)],
  ])("may be: %j", ([name, ...values], { expect }) => {
    const faults = values.map((value) => variableFault({ ...GOOD, ...bindings(name, value) }));

    expect(faults).toEqual(values.map(() => null));
  });

  it.for<[name: string, ...bad: (string | number | object | undefined)[]]>([
    ["NEARBY_RADIUS_MILES", "lots", "", undefined, 25, "0", "0.0", "-1", "1e3", "100000", "Infinity", "25 "],
    ["JWKS_URL", { JWKS_URL: "id.example", JWT_AUDIENCE: "a" }, { JWKS_URL: "http://id.example", JWT_AUDIENCE: "a" }],
    ["JWKS", "https://id.example/keys", '{"keys":[]}', '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}', PRIVATE_KEYS],
    [
      "JWKS",
      ...['{"kty":"OKP","crv":"Ed25519"}', '{"kty":"EC","crv":"P-256","x":"AA"}'].map((key) => `{"keys":[${key}]}`),
    ],
    ["JWKS", { JWKS_URL: "https://id.example/keys", JWKS: KEYS, JWT_AUDIENCE: "loyalty" }],
    ["JWT_AUDIENCE", { JWKS_URL: "https://id.example/keys" }, { JWKS: KEYS }],
    ["JWT_ISSUER", 5, { JWT_CUSTOMERS_WITHOUT_SCOPE: "true" }],
    ["JWT_CUSTOMERS_WITHOUT_SCOPE", { JWT_CUSTOMERS_WITHOUT_SCOPE: "yes", JWT_ISSUER: "https://id.example" }],
    ["CORS_ORIGINS", "https://app.example/", "app.example", "file://", "https://user@app.example", "https://a b"],
    ["CUSTOMER_SEARCH", "friend", "All"],
    ["CHANGES_DAYS", "0", "401", "1.5", "a"],
    ["CUSTOMER_WRITES", "write", "read;mute", "Block"],
    ["JURISDICTION", "europe"],
    ["FEED", "closed"],
    ["RETENTION_MONTHS", "0", "121", "many"],
    ["REVOKED_TOKENS", "é".repeat(2_501)],
    ["ENVIRONMENT", ""],
  ])("must not be: %j", ([name, ...values], { expect }) => {
    const faults = values.map((value) => variableFault({ ...GOOD, ...bindings(name, value) })?.name);

    expect(faults).toEqual(values.map(() => name));
  });

  it("have their defaults there", ({ expect }) => {
    const [, lines = ""] = /^\[vars\]\n([\s\S]*?)\n\n/m.exec(config) ?? [];
    const names = [...lines.matchAll(/^(\w+) =/gm)].map(([, name]) => name).sort();

    expect(names).toEqual(Object.keys(VARIABLES).sort());
  });
});

describe("the bindings that /health looks for", () => {
  it("are those of wrangler.toml", ({ expect }) => {
    const names = [...config.matchAll(/^(?:binding|name) = "([A-Z_]+)"$/gm)].map(([, name]) => name);

    expect([...BINDINGS].sort()).toEqual(names.sort());
  });
});

describe("the secrets", () => {
  it.for<[fault: string | undefined, bindings: object]>([
    [undefined, {}],
    ["JWT_SECRET", { JWT_SECRET: undefined }],
    ["FEED_JWT_SECRET", { FEED_JWT_SECRET: "" }],
    ["FEED_JWT_SECRET", { FEED_JWT_SECRET: "one" }],
    ["FEED_JWT_SECRET", { JWT_SECRET_PREVIOUS: "two" }],
  ])("must be two that differ: %j with %j", ([fault, bindings], { expect }) => {
    const secrets = { JWT_SECRET: "one", FEED_JWT_SECRET: "two", ...bindings };

    expect(variableFault({ ...GOOD, ...secrets }, { ...VARIABLES, ...SECRETS })?.name).toBe(fault);
  });
});

/** A value stands for one variable, and an object for several. */
function bindings(name: string, value: string | number | object | undefined): object {
  return typeof value === "object" ? value : { [name]: value };
}
