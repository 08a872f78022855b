import { decode } from "hono/jwt";
import { type Claims, type SecretName, signClaims } from "../lib/sign.ts";
import { Skipped } from "./outcome.ts";

/** Tokens that another issuer has signed. The service must not have stored the customers yet. */
export interface TokenFile {
  customers: string[];
  feed?: string | undefined;
  export?: string | undefined;
}

/** The suite signs tokens with the secrets, or uses the tokens of a file. */
export interface Keys {
  secrets?: Record<SecretName, string>;
  /** Claims of every token that the suite signs, such as `iss` and `aud`. */
  claims: Claims;
  tokenFile?: TokenFile | undefined;
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

  /** A customer with a token. With a token file, this is the subject of the token at this index, not `id`. */
  async caller(id: string, index: number): Promise<Caller> {
    const { tokenFile } = this.#keys;
    if (tokenFile === undefined) return { id, token: await this.sign({ scope: "customer", sub: id }) };
    const token = orSkip(tokenFile.customers[index] ?? tokenFile.customers[0], "a customer's token");
    return { id: String(decode(token).payload.sub), token };
  }

  /** A token that may feed these accounts. Without accounts, it may feed all. */
  async feed(...accounts: string[]): Promise<string> {
    const { tokenFile } = this.#keys;
    if (tokenFile !== undefined && accounts.length === 0) return orSkip(tokenFile.feed, "a feed token");
    return this.signMachine({ scope: "feed", accounts: accounts.length === 0 ? "*" : accounts });
  }

  async export(): Promise<string> {
    return this.#keys.tokenFile === undefined
      ? this.signMachine({ scope: "export", accounts: "*" })
      : orSkip(this.#keys.tokenFile.export, "an export token");
  }

  /** The token of a till. A token file has none, so it needs the secret. */
  till(accounts: readonly string[] | "*" = "*", claims: Claims = {}): Promise<string> {
    return this.signMachine({ scope: "till", accounts, ...claims });
  }

  /** Signs with the secret of customers' tokens. */
  async sign(claims: Claims, header: Claims = {}, secret = this.#keys.secrets?.JWT_SECRET): Promise<string> {
    return signClaims({ ...this.#keys.claims, ...claims }, orSkip(secret, "JWT_SECRET"), header);
  }

  /** Signs with the secret of machines' tokens. */
  async signMachine(claims: Claims): Promise<string> {
    const secret = orSkip(this.#keys.secrets?.FEED_JWT_SECRET, "FEED_JWT_SECRET");
    return this.sign({ sub: SUBJECT, ...claims }, {}, secret);
  }
}

function orSkip(text: string | undefined, what: string): string {
  if (text === undefined) throw new Skipped(`it needs ${what}`);
  return text;
}
