import { isKeysAddress, readKeys } from "../auth/key-set.ts";
import { radiusMilesOf } from "../customer/campaigns/schema.ts";
import { CUSTOMER_SEARCHES } from "../customer/search/schema.ts";
import { JURISDICTIONS } from "../inbox/inboxes.ts";
import { invalidOrigins } from "../middleware/cors.ts";
import { monthsOf } from "../retention/horizon.ts";
import { utf8Bytes } from "../values/text.ts";

type Bindings = Readonly<Record<string, unknown>>;

interface Rule {
  /** What the value must be, as the end of a sentence: "JWKS_URL must …". */
  must: string;
  /** An unset variable is the empty string. */
  isGood: (value: string, bindings: Bindings) => boolean;
}

/** Cloudflare takes no longer ones. */
const LONGEST_VARIABLE_BYTES = 5_000;

const isNotEmpty = (value: string) => value !== "";
const ANY_TEXT: Rule = { must: "be a text", isGood: () => true };

/** The rule for each variable of wrangler.toml. `npm run deploy` checks them; /health and the log name a broken rule. */
export const VARIABLES: Readonly<Record<string, Rule>> = {
  JWKS_URL: { must: "be an https address, or empty", isGood: isEmptyOr(isKeysAddress) },
  JWKS: {
    must: "be the text of a set of public keys where JWKS_URL is empty, or empty",
    isGood: (value, { JWKS_URL: url }) => value === "" || (!url && isPublicKeySet(value)),
  },
  JWT_ISSUER: {
    must: "be set where JWT_CUSTOMERS_WITHOUT_SCOPE is",
    isGood: (value, bindings) => value !== "" || !bindings.JWT_CUSTOMERS_WITHOUT_SCOPE,
  },
  // An identity provider signs tokens for other apps with the same keys.
  JWT_AUDIENCE: {
    must: "be set where JWKS_URL or JWKS is",
    isGood: (value, { JWKS_URL: url, JWKS: keys }) => value !== "" || !(url || keys),
  },
  JWT_SCOPE_CLAIM: ANY_TEXT,
  JWT_SUBJECT_CLAIM: ANY_TEXT,
  JWT_CUSTOMERS_WITHOUT_SCOPE: oneOf(["true"]),
  NEARBY_RADIUS_MILES: {
    must: "be a number of miles, above 0 and below 100,000",
    isGood: (value) => radiusMilesOf(value) !== null,
  },
  CORS_ORIGINS: {
    must: 'be origins like https://app.example, or "*", or empty',
    isGood: isEmptyOr((value) => invalidOrigins(value).length === 0),
  },
  CUSTOMER_SEARCH: oneOf(CUSTOMER_SEARCHES),
  JURISDICTION: oneOf(JURISDICTIONS),
  REVOKED_TOKENS: {
    must: "be values of `sub` or `jti` with commas between them, at most 5 KB",
    isGood: (value) => utf8Bytes(value) <= LONGEST_VARIABLE_BYTES,
  },
  RETENTION_MONTHS: { must: "be 1 to 120, or empty", isGood: isEmptyOr((value) => monthsOf(value) !== null) },
  FEED: oneOf(["restore"]),
  ENVIRONMENT: { must: "be the name of its environment", isGood: isNotEmpty },
};

/** What wrangler.toml binds. A Worker that was deployed without a binding of its version would fail only where it is used. */
export const BINDINGS: readonly (keyof Env)[] = [
  ...(["DB", "CACHE", "ASSETS", "INBOXES", "FAN_OUTS"] as const),
  ...(["CUSTOMER_LIMITER", "TILL_LIMITER", "ADDRESS_LIMITER", "CF_VERSION_METADATA"] as const),
];

/** The rule for each secret. Only /health checks them: Cloudflare shows them to no command. */
export const SECRETS: typeof VARIABLES = {
  JWT_SECRET: { must: "be set", isGood: isNotEmpty },
  FEED_JWT_SECRET: {
    must: "be set, and differ from JWT_SECRET and JWT_SECRET_PREVIOUS",
    isGood: (value, { JWT_SECRET, JWT_SECRET_PREVIOUS }) => !["", JWT_SECRET, JWT_SECRET_PREVIOUS].includes(value),
  },
};

/** The first variable that breaks its rule, with the rule in words; null if all are good. */
export function variableFault(bindings: Bindings, rules = VARIABLES): { name: string; must: string } | null {
  for (const [name, { must, isGood }] of Object.entries(rules)) {
    const value = bindings[name] ?? "";
    if (typeof value !== "string") return { name, must: "be a text, in quotes" };
    if (!isGood(value, bindings)) return { name, must };
  }
  return null;
}

function oneOf(words: readonly string[]): Rule {
  return { must: `be ${words.join(", ")}, or empty`, isGood: isEmptyOr((value) => words.includes(value)) };
}

function isEmptyOr(isGood: (value: string) => boolean): Rule["isGood"] {
  return (value) => value === "" || isGood(value);
}

/** Refuses a set with a private key: wrangler.toml is no place for secrets, and providers show both keys together. */
function isPublicKeySet(value: string): boolean {
  try {
    const { keys } = readKeys(value);
    return keys.length > 0 && keys.every(({ d }) => d === undefined);
  } catch {
    return false;
  }
}
