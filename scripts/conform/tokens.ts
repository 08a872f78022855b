import { type Claims, signClaims } from "../lib/sign.ts";
import { Skipped } from "./suite.ts";

/** Tokens that another issuer has signed. Its customers are not stored yet. */
export interface GivenTokens {
  customers: string[];
  feed?: string | undefined;
  export?: string | undefined;
}

/** The suite signs tokens with the secret, or was given tokens. */
export interface Keys {
  secret?: string | undefined;
  /** Claims of every token that the suite signs, such as `iss` and `aud`. */
  claims: Claims;
  given?: GivenTokens | undefined;
}

export interface Caller {
  id: string;
  token: string;
}

const SUBJECT = "conform";

export class Tokens {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** A customer who calls. If tokens were given, the customer is the subject of the token at this index, without the id. */
  async caller(id: string, index: number): Promise<Caller> {
    const { given } = this.#keys;
    if (given === undefined) return { id, token: await this.sign({ scope: "customer", sub: id }) };
    const token = orSkip(given.customers[index] ?? given.customers[0], "a customer's token");
    return { id: subjectOf(token), token };
  }

  /** A token that feeds these accounts, or all. */
  async feed(...accounts: string[]): Promise<string> {
    return this.#keys.given === undefined || accounts.length > 0
      ? this.sign({ scope: "feed", sub: SUBJECT, accounts: accounts.length === 0 ? "*" : accounts })
      : orSkip(this.#keys.given.feed, "a feed token");
  }

  async export(): Promise<string> {
    return this.#keys.given === undefined
      ? this.sign({ scope: "export", sub: SUBJECT, accounts: "*" })
      : orSkip(this.#keys.given.export, "an export token");
  }

  /** A token that looks customers up. The suite can only sign it. */
  lookup(): Promise<string> {
    return this.sign({ scope: "lookup", sub: SUBJECT });
  }

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
