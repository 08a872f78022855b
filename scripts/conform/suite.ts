import { type Call, linkOf } from "../lib/call.ts";
import { expectInvalid, expectOk, expectSame } from "./expect.ts";
import { type Answer, type Http, type Item, itemsOrNone, listOf } from "./http.ts";
import { deletionOf, keyOf, type Line, type LineMakers, type LineWithId, lineMakers } from "./lines.ts";
import { Broken, Skipped } from "./outcome.ts";
import { type Frame, Listener, type Sockets } from "./socket.ts";
import type { Caller, Tokens } from "./tokens.ts";

/** A rule of the contract. */
export interface Rule {
  /** The behaviour that the rule asks for. */
  title: string;
  /** Whether the lines of the section must be fed first. */
  needsLines: boolean;
  /** @throws `Broken` if the rule does not hold. */
  check: () => Promise<void>;
}

/** The rules of a numbered section of docs/contract/. */
export interface Section {
  /** Cites the section: `interface, 4.2` is section 4.2 of docs/contract/interface.md. */
  name: string;
  lines: readonly Line[];
  rules: readonly Rule[];
}

/** The settings of the service that change what it answers. */
export interface Settings {
  nearbyRadiusMiles: number;
  customerSearch: "all" | "friends" | "none";
  /** Whether browser pages of every origin may call the service. */
  anyOrigin: boolean;
}

interface SuiteOptions {
  http: Http;
  tokens: Tokens;
  sockets: Sockets;
  settings: Settings;
  mayFeed: boolean;
}

/** Customers who can call. They are not stored yet. */
type Callers = Record<"ann" | "ben" | "eve", Caller>;

/** What a section states its rules with. */
interface SectionStart extends Callers {
  suite: Suite;
  /** Makes lines that are fed before the rules are checked. */
  seed: LineMakers;
  /** Seeds an account with a store and a coupon, and these callers. */
  seedChain: (...callers: Caller[]) => Record<"chain" | "shop" | "plainCoupon", LineWithId>;
  /** Makes lines for a rule to feed. */
  make: LineMakers;
  /** States a rule. Rules that stand before the first line of `seed` are checked even if nothing may be fed. */
  it: (title: string, check: () => Promise<void>) => void;
}

/** The kinds that the suite does not delete. Events cannot be deleted. Messages are removed with their group. */
const UNDELETED_KINDS = ["balance_entry", "token_earning", "play", "message", "redemption"];

const MOST_LINES = 2_000;
const MOST_PAGES = 1_000;
/** Why a rule is skipped. */
export const ANY_ORIGIN = "CORS_ORIGINS lets every page call";
const READ_ONLY = "--read-only writes nothing";
const DAY_MS = 86_400_000;
const LONGEST_SECTION_MS = 60_000;

/** A function that makes a section for a suite. `state` states the rules. */
export function section(name: string, state: (start: SectionStart) => void | Promise<void>) {
  return async (suite: Suite): Promise<Section> => {
    const lines: Line[] = [];
    const rules: Rule[] = [];
    const newId = (record: string) => (record === "account" ? suite.accountId() : suite.id(record));
    const seed = lineMakers(newId, (line) => lines.push(line));
    await state({
      suite,
      ...(await suite.callers()),
      seed,
      seedChain: (...callers) => {
        const chain = seed.account();
        for (const caller of callers) seed.caller(caller);
        return { chain, shop: seed.store(chain), plainCoupon: seed.coupon(chain) };
      },
      make: lineMakers(newId),
      it: (title, check) => {
        const needsLines = lines.length > 0;
        rules.push({ title, needsLines, check: () => check().finally(() => suite.closeListeners()) });
      },
    });
    return { name, lines, rules };
  };
}

/** Makes ids, sends requests and feeds lines for all sections. Deletes the records that they have fed. */
export class Suite {
  readonly http: Http;
  readonly tokens: Tokens;
  readonly sockets: Sockets;
  readonly settings: Settings;
  /** Every id begins with this text, except account ids. */
  readonly idPrefix = `conform-${Math.random().toString(36).slice(2, 8)}`;
  readonly #mayFeed: boolean;
  /** The lines that delete the fed records, by kind and key as JSON. */
  readonly #deleteLines = new Map<string, Line>();
  /** Every id of this run. Only records with these ids are deleted. */
  readonly #ownIds = new Set<unknown>();
  readonly #listeners: Listener[] = [];
  #idCount = 0;

  constructor({ http, tokens, sockets, settings, mayFeed }: SuiteOptions) {
    this.http = http;
    this.tokens = tokens;
    this.sockets = sockets;
    this.settings = settings;
    this.#mayFeed = mayFeed;
  }

  /** A new id. Ids sort in the order in which they were made. */
  id(name: string): string {
    this.#idCount += 1;
    return this.#noteId(`${this.idPrefix}-${String(this.#idCount).padStart(5, "0")}-${name}`);
  }

  /** A new account id: a random number of 15 digits. An operator who counts upwards never reaches it. */
  accountId(): string {
    return this.#noteId(String(100_000_000_000_000 + Math.floor(Math.random() * 899_999_999_999_999)));
  }

  /**
   * A random word of nine letters, so that a search for it, even with typos, finds no other records. It begins with `q`, because
   * no other word of a search in the suite does, such as `or`.
   */
  word(): string {
    const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26)));
    return `q${letters.join("")}`;
  }

  /** Waits for the next day in UTC if today ends soon, because a section that feeds dates of today must end today. */
  async waitIfDayEndsSoon(): Promise<void> {
    const leftMs = DAY_MS - (Date.now() % DAY_MS);
    if (this.#mayFeed && leftMs < LONGEST_SECTION_MS) await this.http.sleep(leftMs);
  }

  async callers(): Promise<Callers> {
    const caller = async (name: string, index: number) => {
      const newCaller = await this.tokens.caller(this.id(name), index);
      this.#noteId(newCaller.id);
      return newCaller;
    };
    return { ann: await caller("ann", 0), ben: await caller("ben", 1), eve: await caller("eve", 2) };
  }

  get(caller: Caller, path: string, query: Record<string, string> = {}, request: Call = {}): Promise<Answer> {
    const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
    return this.http.send(`/api/v1/customer/${path}${search}`, { token: caller.token, ...request });
  }

  post(caller: Caller, path: string, body: object): Promise<Answer> {
    return this.http.send(`/api/v1/customer/${path}`, { token: caller.token, body: JSON.stringify(body) });
  }

  /** Opens a socket of a customer, and waits for its first frame. It is closed once the rule is checked. */
  async listen(token: string): Promise<{ listener: Listener; hello: Frame }> {
    const address = `${this.http.url.replace(/^http/, "ws")}/api/v1/customer/live`;
    const listener = new Listener(await this.sockets.connect(address, ["loyalty-edge", `bearer.${token}`]));
    this.#listeners.push(listener);
    const hello = await listener.nextFrame("the first frame");
    expectSame(hello, { type: "hello", bookmark: String(hello.bookmark) }, "the first frame");
    return { listener, hello };
  }

  closeListeners(): void {
    for (const listener of this.#listeners.splice(0)) listener.socket.close();
  }

  /** Sends lines to the feed. They are deleted at the end of the section. */
  async send(lines: readonly (Line | string)[], token?: string): Promise<Answer> {
    if (!this.#mayFeed) throw new Skipped(READ_ONLY);
    for (const line of lines) if (typeof line !== "string") this.#noteDeleteLine(line);
    const body = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    const answer = await this.http.send("/api/v1/feed", { token: token ?? (await this.tokens.feed()), body });
    if (answer.status === 200) this.http.continueFrom(answer);
    return answer;
  }

  /** Feeds lines. @throws `Broken` if they are refused. */
  async feed(...lines: Line[]): Promise<Answer> {
    const answer = await this.send(lines);
    expectOk(answer);
    return answer;
  }

  /** Sends lines. @throws `Broken` unless they are refused, and the failure names exactly these fields. */
  async expectRefused(lines: readonly (Line | string)[], ...fields: string[]): Promise<void> {
    expectInvalid(await this.send(lines), ...fields);
  }

  /** Sends a line. @throws `Broken` unless it is refused, and the failure names exactly these of its fields. */
  async expectLineRefused(line: Line, ...fields: string[]): Promise<void> {
    await this.expectRefused([line], ...fields.map((field) => `line 1.${field}`));
  }

  /** A coupon that was issued to a customer, as `GET /coupons` shows it to them. */
  async couponOf(caller: Caller, { id }: LineWithId): Promise<Item | undefined> {
    return itemsOrNone(await this.get(caller, "coupons")).find((item) => item.id === id);
  }

  /** The stores, customers or campaigns that a search finds, without forgiving typos. */
  async search(caller: Caller, list: "stores" | "customers" | "campaigns", query: string): Promise<Item[]> {
    return listOf(await this.post(caller, "full-search", { query, typos: false }), list);
  }

  /** The answers of all pages of a list, from the address of the first page. */
  async pages(address: string, token: string): Promise<Answer[]> {
    const pages: Answer[] = [];
    for (let next: string | undefined = address; next !== undefined; next = linkOf(pages.at(-1) as Answer)) {
      if (pages.length === MOST_PAGES) throw new Broken(`the pages of ${address} do not end`);
      pages.push(await this.http.send(next, { token }));
    }
    return pages;
  }

  /** Feeds lines. @throws `Broken` unless the answer counts this many lines as accepted and ignored. */
  async expectCounts(counts: { accepted?: number; ignored?: number }, ...lines: (Line | string)[]): Promise<void> {
    const { body } = await this.send(lines);
    expectSame(body.items, { accepted: 0, ignored: 0, ...counts }, "the counts of the lines");
  }

  /** Asks until an answer passes the test `isWanted`. @throws `Broken` after this number of seconds. */
  async until(ask: () => Promise<Answer>, isWanted: (answer: Answer) => boolean, seconds: number): Promise<Answer> {
    for (const deadline = Date.now() + seconds * 1_000; ; await this.http.sleep(200)) {
      const answer = await ask();
      if (isWanted(answer)) return answer;
      const text = answer.text.slice(0, 300);
      if (Date.now() >= deadline) throw new Broken(`${answer.request} still answers after ${seconds} s: ${text}`);
    }
  }

  /** Deletes the fed records that can be deleted. Resolves with null, or with the answer if the feed refuses it. */
  async deleteFedRecords(): Promise<Answer | null> {
    const lines = [...this.#deleteLines.values()];
    for (let from = 0; from < lines.length; from += MOST_LINES) {
      const answer = await this.send(lines.slice(from, from + MOST_LINES));
      if (answer.status !== 200) return answer;
    }
    this.#deleteLines.clear();
    return null;
  }

  #noteId(id: string): string {
    this.#ownIds.add(id);
    return id;
  }

  /** Notes how to delete the record of a line. A broken service may store it even if it refuses the request. */
  #noteDeleteLine(line: Line): void {
    const key = Object.values(keyOf(line));
    // One rule feeds a friendship whose two customers are the same. The feed would refuse to delete it.
    const canBeDeleted = !UNDELETED_KINDS.includes(line.record) && new Set(key).size === key.length;
    if (canBeDeleted && key.every((value) => this.#ownIds.has(value)))
      this.#deleteLines.set(JSON.stringify([line.record, ...key]), deletionOf(line));
  }
}
