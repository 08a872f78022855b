import type { Random } from "../../../scripts/program/random.ts";
import type { Row } from "../../model/kinds.ts";
import type { Answer, Call } from "../calls.ts";
import { feedCall } from "../network.ts";
import type { SocketEnd } from "../platform/sockets.ts";
import { customerLine, groupLine } from "../program.ts";
import { FRESH } from "../rules/names.ts";
import { LOCATIONS } from "../world.ts";
import { pause, type Stage } from "./stage.ts";
import { feedInParts } from "./systems.ts";

const REST_MS = 5_000;
const OPENS_WITHIN_MS = 600;
const CHANGES_A_ROUND = 10;
// The schedule notifies of changes that no Worker has notified of. It may skip a minute.
const TOLD_WITHIN_MS = 150_000;
// A message is shown by then.
const UNTIL_SHOWN_MS = 3_000;

/** A poll is sent without a bookmark, because the inbox has one that shows all that it has heard of. */
const POLL = "/api/v1/customer/messages?check_time=2026-01-01%2000%3A00%3A00";

/** What an app reads after a frame, by the change that the frame lists. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  messages: ["/api/v1/customer/messages", POLL],
  coupons: ["/api/v1/customer/coupons"],
  balance: ["/api/v1/customer/me", "/api/v1/customer/me/entries"],
};
const ACCOUNT = "900001";
const ALL_CHANGES = Object.keys(PATHS);

/**
 * An app that reads at the bookmark of each frame. In each round it opens a socket for a new customer, whom the feed before
 * notified of nothing, and to whom nobody else writes. So a frame announces the round's last change.
 */
export async function watcher(stage: Stage, number: number): Promise<void> {
  const { world } = stage;
  const random = world.random(`watcher ${number}`);
  for (let round = 1; !stage.isEnding(); round += 1) {
    await pause(stage, random, REST_MS);
    await watch(stage, random, { customer: `watcher ${number} ${round}`, friend: `watched ${number}` });
  }
}

async function watch(stage: Stage, random: Random, { customer, friend }: { customer: string; friend: string }) {
  const { world } = stage;
  const feed = async (lines: readonly Row[]) => {
    const answer = await stage.network.send(feedCall(random.pick(LOCATIONS), lines)).catch(() => null);
    return answer?.status === 200;
  };
  const changes = new Changes(customer, friend);
  await feedInParts(stage, random, changes.prerequisites());
  for (const what of ALL_CHANGES) if (!(await feed([changes.next(what)]))) return;
  await world.time.wait(random.integer(0, OPENS_WITHIN_MS));
  const app = new WatchingApp(stage, { location: random.pick(LOCATIONS), customer });
  if (!(await app.open())) return;
  await app.check(ALL_CHANGES);
  for (let count = 0; count < CHANGES_A_ROUND && app.isOpen && !isLeftInOutbox(stage, customer); count += 1) {
    const what = random.pick(ALL_CHANGES);
    const told = app.nextFrame(what);
    if (!(await feed([changes.next(what)]))) break;
    if (!(await Promise.race([told, world.time.wait(TOLD_WITHIN_MS).then(() => false)]))) break;
    await app.check([what]);
  }
  app.close();
}

/** Whether the schedule may announce a former change once more. */
export function isLeftInOutbox({ world }: Stage, customer: string): boolean {
  const sql = "SELECT 1 FROM outbox CROSS JOIN json_each(outbox.customers) AS customer WHERE customer.value = ?";
  return world.database.primary.read(sql, customer).length > 0;
}

/** The lines that change something for one customer. */
class Changes {
  readonly #customer: string;
  readonly #friend: string;
  #number = 0;
  /** The coupon that the customer holds, and the message that has a body. */
  #undone: Record<string, Row | undefined> = {};

  constructor(customer: string, friend: string) {
    this.#customer = customer;
    this.#friend = friend;
  }

  prerequisites(): Row[] {
    return [
      { record: "account", id: ACCOUNT, company: "Blue Cup" },
      { record: "store", id: "watched", account_id: ACCOUNT, name: "Main Street", latitude: 1, longitude: 1 },
      {
        record: "coupon",
        id: "watched",
        account_id: ACCOUNT,
        kind: "store",
        name: "Tea",
        type: "Free_Item",
        value: "1",
      },
      customerLine(this.#friend),
      customerLine(this.#customer),
      groupLine(this.#friend, [this.#friend, this.#customer]),
    ];
  }

  /** A coupon is issued, and withdrawn the next time. A message is sent, and loses its body the next time. */
  next(what: string): Row {
    const last = this.#undone[what];
    if (last !== undefined) {
      this.#undone[what] = undefined;
      return { record: last.record, id: last.id, deleted: true };
    }
    this.#number += 1;
    const line = this.#line(what, `${this.#customer} ${this.#number}`);
    if (what !== "balance") this.#undone[what] = line;
    return line;
  }

  #line(what: string, id: string): Row {
    if (what === "messages")
      return { record: "message", id, group_id: this.#friend, customer_id: this.#friend, body: "Hello" };
    const ofCustomer = { id, customer_id: this.#customer, store_id: "watched" };
    return what === "coupons"
      ? { record: "customer_coupon", ...ofCustomer, campaign_coupon_id: "watched" }
      : { record: "balance_entry", ...ofCustomer, amount: "1.00" };
  }
}

/** An app with a socket. */
export class WatchingApp {
  readonly #stage: Stage;
  readonly #app: Pick<Call, "location" | "customer">;
  readonly #openedAt: number;
  /** For each path: the last read that a frame has caused. */
  readonly #reads = new Map<string, Promise<Answer | null>>();
  readonly #waiting: { what: string; tell: (isTold: boolean) => void }[] = [];
  #socket: SocketEnd | null = null;

  constructor(stage: Stage, app: Pick<Call, "location" | "customer">) {
    this.#stage = stage;
    this.#app = app;
    this.#openedAt = stage.world.time.now;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  async open(): Promise<boolean> {
    const call = { ...this.#app, path: "/api/v1/customer/live", headers: { Upgrade: "websocket" } };
    const answer = await this.#stage.network.send(call).catch(() => null);
    this.#socket = answer?.socket ?? null;
    const greeted = this.nextFrame("hello");
    this.#socket?.accept({ onText: (text) => this.#receive(JSON.parse(text)), onClose: () => this.#tell([], false) });
    return this.#socket !== null && greeted;
  }

  close(): void {
    this.#socket?.close(1000);
  }

  /** Whether a frame with this change comes before the socket ends. */
  nextFrame(what: string): Promise<boolean> {
    return new Promise((tell) => this.#waiting.push({ what, tell }));
  }

  /** Checks that the last reads show everything that these changes are about. */
  async check(what: readonly string[]): Promise<void> {
    const { world, rules } = this.#stage;
    await world.time.wait(UNTIL_SHOWN_MS);
    for (const path of what.flatMap((change) => PATHS[change] ?? [])) {
      const answer = await this.#reads.get(path);
      const hadInbox = !answer?.logLines.some((line) => line.includes("INBOX_UNAVAILABLE"));
      if (answer?.status === 200 && (path !== POLL || hadInbox) && world.setBackAt < this.#openedAt)
        rules.model.checkNewest(FRESH, { ...this.#app, path }, answer);
    }
  }

  #receive({ what = ALL_CHANGES, type, bookmark }: { type: string; what?: string[]; bookmark?: string }): void {
    for (const path of what.flatMap((change) => PATHS[change] ?? [])) {
      const headers: Record<string, string> =
        bookmark === undefined || path === POLL ? {} : { "X-D1-Bookmark": bookmark };
      const reading = this.#stage.network.send({ ...this.#app, path, headers }).catch(() => null);
      this.#reads.set(path, reading);
    }
    this.#tell([type, ...what], true);
  }

  /** Tells everybody who waits for one of these. If the socket has ended, nobody waits any longer. */
  #tell(what: readonly string[], isTold: boolean): void {
    for (const waiting of this.#waiting.splice(0))
      if (!isTold || what.includes(waiting.what)) waiting.tell(isTold);
      else this.#waiting.push(waiting);
  }
}
