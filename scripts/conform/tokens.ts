import { type Claims, signClaims } from "../lib/sign.ts";
import { Skipped } from "./suite.ts";

/** Tokens that another issuer has signed. Its customers are not stored yet. */
export interface GivenTokens {
  customers: string[];
  feed?: string | undefined;
  export?: string | undefined;
}

/** Where tokens come from: the suite signs them with the secret, or was given them. */
export interface Keys {
  secret?: string | undefined;
  /** Claims of every token that the suite signs: `iss`, `aud`. */
  claims: Claims;
  given?: GivenTokens | undefined;
}

export interface Caller {
  id: string;
  token: string;
}

const NAME = "conform";

export class Tokens {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** A customer who calls. Without a secret, the subject of the given token number `place` is used instead of the id. */
  async caller(id: string, place: number): Promise<Caller> {
    const { given } = this.#keys;
    if (given === undefined) return { id, token: await this.sign({ scope: "customer", sub: id }) };
    const token = orSkip(given.customers[place] ?? given.customers[0], "a customer's token");
    return { id: subjectOf(token), token };
  }

  /** A token that feeds these accounts, or all. */
  async feed(...accounts: string[]): Promise<string> {
    return this.#keys.given === undefined || accounts.length > 0
      ? this.sign({ scope: "feed", sub: NAME, accounts: accounts.length === 0 ? "*" : accounts })
      : orSkip(this.#keys.given.feed, "a feed token");
  }

  async export(): Promise<string> {
    return this.#keys.given === undefined
      ? this.sign({ scope: "export", sub: NAME, accounts: "*" })
      : orSkip(this.#keys.given.export, "an export token");
  }

  /** A token that looks customers up. It needs a secret. */
  lookup(): Promise<string> {
    return this.sign({ scope: "lookup", sub: NAME });
  }

  /** Signs any claims (scripts/lib/sign.ts). */
  async sign(claims: Claims, header: Claims = {}, secret = this.#keys.secret): Promise<string> {
    return signClaims({ ...this.#keys.claims, ...claims }, orSkip(secret, "JWT_SECRET"), header);
  }
}

function subjectOf(token: string): string {
  const claims = token.split(".")[1] ?? "";
  const bytes = Uint8Array.from(atob(claims.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  return String(JSON.parse(new TextDecoder().decode(bytes)).sub);
}

function orSkip(token: string | undefined, what: string): string {
  if (token === undefined) throw new Skipped(`it needs ${what}`);
  return token;
}
