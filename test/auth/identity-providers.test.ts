import { describe, it } from "vitest";
import tokensPage from "../../docs/tokens.md?raw";
import { signParts } from "../../scripts/lib/sign.ts";
import { readToken } from "../../src/auth/token.ts";
import { KEY_ALGORITHMS, keyPair } from "../support/signing.ts";
import { tokenRules } from "../support/tokens.ts";

// A token of each provider: its claims come from the provider's documentation, the variables from docs/tokens.md.

const NOW = 1_800_000_000;
const TIMES = { iat: NOW, exp: NOW + 60 };
const USER = "5f0c7e6a-1b2d-4c3e-8f90-a1b2c3d4e5f6";

interface Provider {
  name: string;
  algorithm: "RS256" | "ES256";
  header?: object;
  claims: Record<string, unknown> & { sub: string };
  /** Changes to `claims`. Each makes a token of this provider that must not open anything. */
  refusedChanges: readonly Record<string, unknown>[];
}

const PROVIDERS: readonly Provider[] = [
  {
    // https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles
    name: "Auth0",
    algorithm: "RS256",
    claims: {
      iss: "https://example.eu.auth0.com/",
      sub: "auth0|6543a1b2c3d4e5f678901234",
      aud: ["https://loyalty.example", "https://example.eu.auth0.com/userinfo"],
      scope: "openid customer",
    },
    refusedChanges: [
      { aud: "https://another-api.example" },
      { scope: "openid profile" },
      { iss: "https://other.eu.auth0.com/" },
    ],
  },
  {
    // https://firebase.google.com/docs/auth/admin/verify-id-tokens
    name: "Firebase",
    algorithm: "RS256",
    claims: {
      iss: "https://securetoken.google.com/example",
      aud: "example",
      sub: "Xk3jR9vQ2mZpL7wT1aBcD4eF5gH6",
    },
    refusedChanges: [{ iss: "https://securetoken.google.com/other", aud: "other" }],
  },
  {
    // https://supabase.com/docs/guides/auth/jwt-fields
    name: "Supabase",
    algorithm: "ES256",
    claims: {
      iss: "https://example.supabase.co/auth/v1",
      sub: USER,
      aud: "authenticated",
      role: "authenticated",
      user_metadata: { scope: "customer", customer_id: "somebody-else" },
    },
    refusedChanges: [
      { aud: "anon", role: "anon" },
      { sub: undefined, role: "service_role" },
    ],
  },
  {
    // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
    name: "Cognito",
    algorithm: "RS256",
    header: { typ: undefined },
    claims: {
      sub: USER,
      "cognito:groups": ["test-group-a"],
      iss: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example",
      "cognito:username": "ada",
      aud: "example-app-client-id",
      token_use: "id",
    },
    // The second change makes an access token of it.
    refusedChanges: [
      { aud: "another-app-client-id" },
      { aud: undefined, client_id: "example-app-client-id", token_use: "access", scope: "openid loyalty/customer" },
    ],
  },
  {
    // https://www.keycloak.org/docs/latest/server_admin/#_client_scopes
    name: "Keycloak",
    algorithm: "RS256",
    claims: {
      iss: "https://id.example/realms/example",
      aud: ["loyalty", "account"],
      sub: USER,
      typ: "Bearer",
      scope: "openid email profile customer",
    },
    refusedChanges: [{ aud: "account" }, { scope: "openid email profile" }],
  },
  {
    // https://clerk.com/docs/guides/sessions/session-tokens (version 2)
    name: "Clerk",
    algorithm: "RS256",
    header: { cat: "cl_B7d4PD111AAA" },
    // The operator adds the claim `aud` to the token. Clerk sets the other claims.
    claims: {
      aud: "loyalty",
      iss: "https://clerk.example.com",
      nbf: NOW - 10,
      sub: "user_2aBcDeFgHiJkLmNoPqRsTuVwXyZ",
      v: 2,
    },
    refusedChanges: [{ iss: "https://clerk.other.example" }, { aud: undefined }],
  },
];

const VARIABLES = /^(\w+) = "(.*)"$/gm;

/** The variables that docs/tokens.md sets for a provider. */
function variablesFor(name: string): Record<string, string> {
  const [, block = ""] =
    new RegExp(`^### ${name}\\n[\\s\\S]*?\`\`\`toml\\n([\\s\\S]*?)\`\`\``, "m").exec(tokensPage) ?? [];
  return Object.fromEntries([...block.matchAll(VARIABLES)].map(([, variable = "", value = ""]) => [variable, value]));
}

/** The claim in which docs/tokens.md puts the customer's id in tokens of this provider. */
function customerIdClaim(provider: string): string {
  return new RegExp(`^\\| ${provider} +\\| \`(.+?)\``, "m").exec(tokensPage)?.[1] ?? "";
}

const keys = { RS256: await keyPair("RS256", "k"), ES256: await keyPair("ES256", "k") };

/** The subject and the scopes of a token of this provider, or the fault of the token. */
async function read({ name, algorithm, header }: Provider, claims: object, variables: object = {}) {
  const { privateKey, publicJwk } = keys[algorithm];
  const signing = { key: privateKey, algorithm: { name: KEY_ALGORITHMS[algorithm].name, hash: "SHA-256" } };
  const signedHeader = { alg: algorithm, kid: "k", typ: "JWT", ...header };
  const token = await signParts(signedHeader, { ...TIMES, ...claims }, signing);
  const rules = {
    ...tokenRules("a-secret"),
    ...variablesFor(name),
    ...variables,
    keys: { find: async () => [publicJwk] },
  };
  const reading = await readToken(token, rules, NOW);
  return reading.outcome === "good" ? { subject: reading.claims.subject, scopes: reading.claims.scopes } : reading;
}

describe("docs/tokens.md", () => {
  it("has every provider that these tests try, and no other", ({ expect }) => {
    const section = tokensPage.slice(
      tokensPage.indexOf("## Identity providers"),
      tokensPage.indexOf("## Changing a secret"),
    );

    expect([...section.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(PROVIDERS.map(({ name }) => name));
  });
});

describe.for(PROVIDERS)("a token of $name", (provider) => {
  const { name, claims, refusedChanges } = provider;

  it("is of the customer with the subject's id, and of no feed", async ({ expect }) => {
    expect(await read(provider, { ...claims, accounts: "*" })).toEqual({ subject: claims.sub, scopes: ["customer"] });
  });

  it("is of the customer whom another claim names, if JWT_SUBJECT_CLAIM names that claim", async ({ expect }) => {
    const claim = customerIdClaim(name);
    const variables = { JWT_SUBJECT_CLAIM: claim };

    expect(await read(provider, { ...claims, [claim]: "c-1" }, variables)).toMatchObject({ subject: "c-1" });
    expect(await read(provider, claims, variables)).toEqual({ outcome: "bad", fault: "subject" });
  });

  it.for(refusedChanges)(
    "is of no customer if it is another app's, or not a customer's: %j",
    async (change, { expect }) => {
      const reading = await read(provider, { ...claims, ...change });

      expect("scopes" in reading ? reading.scopes : []).toEqual([]);
    },
  );
});
