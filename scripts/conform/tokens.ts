import { type Claims, signClaims } from "../lib/sign.ts";
import { Skipped } from "./suite.ts";

/** Tokens that somebody else has signed: of customers who are stored nowhere, and of a client that feeds and one that exports. */
export interface GivenTokens {
  customers: string[];
  feed?: string | undefined;
  export?: string | undefined;
}

/** How the suite comes by its tokens: with a secret it signs any, else it has those that it was given. */
export interface Keys {
  secret?: string | undefined;
  /** What every token that is signed has: `iss`, `aud`. */
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

  /** A customer who calls: of this id with a secret, else that of the given token in this place. */
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

  /** A token that looks customers up: of a secret only. */
  lookup(): Promise<string> {
    return this.sign({ scope: "lookup", sub: NAME });
  }

  /** A token of any claims, good for an hour unless they say otherwise; `undefined` takes a claim away. */
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
