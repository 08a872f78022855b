import type { Till } from "../../../client/src/till.ts";
import type { Random } from "../../../scripts/program/random.ts";
import type { Row } from "../../model/kinds.ts";
import { tillToken } from "../network.ts";
import { customerLine } from "../program.ts";
import { TILL_FREE, TILL_IDS, TILL_ONCE } from "../rules/names.ts";
import { LOCATIONS } from "../world.ts";
import { pause, type Stage } from "./stage.ts";
import { feedUntilAnswered } from "./systems.ts";

const REST_MS = 6_000;
const ACCOUNT = "900002";
const [STORE, OTHER_STORE] = ["shop", "other shop"];
const LONGEST_HOLD_SECONDS = 8;
// Clocks differ by up to two seconds, and a hold lasts until the end of its last second.
const HOLDS_ENDED_MS = (LONGEST_HOLD_SECONDS + 4) * 1_000;
/** The status while the database is full. */
const FULL = 507;
const UNTIL_ANSWERED = { repeatForMs: Number.POSITIVE_INFINITY };

/** A shop with several tills, which serve one customer at once: only some of them can have what they ask for. */
export async function shop(stage: Stage, number: number): Promise<void> {
  const random = stage.world.random(`shop ${number}`);
  for (let visit = 1; ; visit += 1) {
    await pause(stage, random, REST_MS);
    if (stage.isEnding()) return;
    await new Visit(stage, random, `visit ${number} ${visit}`).run();
  }
}

/** What came of an act of a till. */
interface Outcome {
  id: string;
  of: "points" | "uses";
  /** Whether it counts at the end of the visit. Null: unknown. */
  isDone: boolean | null;
  /** Ids of what was answered as done, and was not fed. */
  inChanges: readonly string[];
}

class Visit {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #name: string;
  readonly #begunAt: number;
  readonly #points: number;
  readonly #uses: number;

  constructor(stage: Stage, random: Random, name: string) {
    this.#stage = stage;
    this.#random = random;
    this.#name = name;
    this.#begunAt = stage.world.time.now;
    this.#points = random.integer(1, 3);
    // Mostly fewer than the tills want, so that holds and redemptions meet at the limit.
    this.#uses = random.pick([1, 1, 2, 3]);
  }

  async run(): Promise<void> {
    const { world, rules } = this.#stage;
    const fed = await feedUntilAnswered(this.#stage, this.#random, this.#prerequisites());
    if (fed?.status !== 200) return;
    const tills = [...Array(this.#random.integer(2, 5)).keys()].map((number) => this.#open(`${this.#name} ${number}`));
    const outcomes = await Promise.all(tills.map(([name, till]) => this.#act(name, till)));
    await Promise.all(tills.map(([, till]) => till.settled()));
    if (this.#isUnsure() || outcomes.some(({ isDone }) => isDone === null)) return;
    for (const { inChanges } of outcomes) for (const id of inChanges) rules.tills.noteDone(id, this.#begunAt);
    const count = (of: Outcome["of"]) => outcomes.filter((outcome) => outcome.of === of && outcome.isDone).length;
    this.#check(count("points"), count("uses"), JSON.stringify(outcomes));
    await world.time.wait(HOLDS_ENDED_MS);
    await this.#redeemLast(count("uses"));
  }

  /** Whether time travel may have undone a part of the visit. */
  #isUnsure(): boolean {
    return this.#stage.world.setBackAt >= this.#begunAt || this.#stage.isOver();
  }

  #prerequisites(): Row[] {
    const store = { record: "store", account_id: ACCOUNT, name: "Main Street", latitude: 1, longitude: 1 };
    const coupon = { record: "coupon", account_id: ACCOUNT, kind: "store", name: "Tea", type: "Free_Item", value: "1" };
    const own = { customer_id: this.#name, store_id: STORE };
    return [
      { record: "account", id: ACCOUNT, company: "Blue Cup" },
      ...[STORE, OTHER_STORE].map((id) => ({ ...store, id })),
      { ...coupon, id: STORE },
      customerLine(this.#name),
      { record: "balance_entry", id: `points of ${this.#name}`, ...own, amount: `${this.#points}.00` },
      { record: "customer_coupon", id: this.#name, ...own, campaign_coupon_id: STORE, total_count: this.#uses },
    ];
  }

  #open(name: string): [name: string, till: Till] {
    const { world, network } = this.#stage;
    const till = world.outside.service.createTill({
      url: "https://loyalty.example",
      token: () => tillToken(world, name),
      fetch: network.fetchFor(this.#random.pick(LOCATIONS), { till: name }),
      repeatForMs: this.#random.pick([1_000, 10_000, 60_000]),
      onError: () => {},
    });
    return [name, till];
  }

  #act(id: string, till: Till): Promise<Outcome> {
    const acts = [
      this.#spend,
      this.#redeem,
      this.#redeem,
      this.#changeMind,
      this.#order,
      this.#order,
      this.#cancelOrder,
      this.#cancelOrder,
      this.#offline,
    ];
    return this.#random.pick(acts).call(this, id, till);
  }

  async #spend(id: string, till: Till): Promise<Outcome> {
    const body = { id, customer_id: this.#name, store_id: STORE, amount: "-1.00", minimum_balance: "0.00" };
    const isDone = await isTrue(till.book(body));
    if (isDone) await this.#again((store_id) => till.book({ ...body, store_id }, { takeBack: false }));
    return { id, of: "points", isDone, inChanges: isDone ? [id] : [] };
  }

  get #coupon() {
    return { customer_coupon_id: this.#name, store_id: STORE };
  }

  async #redeem(id: string, till: Till): Promise<Outcome> {
    const isDone = await isTrue(till.redeem({ id, ...this.#coupon }));
    if (isDone) await this.#again((store_id) => till.redeem({ id, ...this.#coupon, store_id }, { takeBack: false }));
    return { id, of: "uses", isDone, inChanges: isDone ? [id] : [] };
  }

  /** Sends a done act again, as it was or with another store, which is another content. */
  async #again(send: (storeId: string) => Promise<{ httpStatus: number }>): Promise<void> {
    const isSame = this.#random.next() < 0.5;
    const answer = await send(isSame ? STORE : OTHER_STORE).catch(ifLoyaltyError);
    const expected = isSame ? 200 : 409;
    if (answer !== null && ![expected, FULL].includes(answer.httpStatus) && !this.#isUnsure())
      this.#stage.world.fail(TILL_IDS, `${this.#name} is answered ${answer.httpStatus}, not ${expected}`);
  }

  /** Redeems, and gives the use back; sometimes twice, at two tills. */
  async #changeMind(id: string, till: Till): Promise<Outcome> {
    const redeemed = await this.#redeem(id, till);
    if (!redeemed.isDone) return redeemed;
    const reverse = (suffix: string) =>
      till.reverse({ id: `${id} ${suffix}`, redemption_id: id, store_id: STORE }, UNTIL_ANSWERED);
    const reversals = this.#random.next() < 0.5 ? ["back"] : ["back", "back again"];
    const answers = await Promise.all(reversals.map(reverse));
    if (answers.some(({ httpStatus }) => httpStatus === FULL)) return { ...redeemed, isDone: null };
    const done = reversals.filter((_, index) => answers[index]?.status);
    if (done.length !== 1 && !this.#isUnsure())
      this.#stage.world.fail(TILL_ONCE, `${id} is reversed ${done.length} times: ${JSON.stringify(answers)}`);
    return { ...redeemed, isDone: false, inChanges: [id, ...done.map((suffix) => `${id} ${suffix}`)] };
  }

  /** Holds a use for a while, and redeems it. One hold in three has ended by then. */
  async #order(id: string, till: Till): Promise<Outcome> {
    const seconds = this.#random.integer(1, LONGEST_HOLD_SECONDS);
    await isTrue(till.hold({ id, ...this.#coupon, seconds }, { takeBack: false }));
    await this.#stage.world.time.wait(this.#random.integer(0, seconds * 1_500));
    return this.#redeem(id, till);
  }

  /** Holds a use, and frees it, or lets it end. */
  async #cancelOrder(id: string, till: Till): Promise<Outcome> {
    const isHeld = await isTrue(
      till.hold({ id, ...this.#coupon, seconds: this.#random.integer(1, LONGEST_HOLD_SECONDS) }),
    );
    if (isHeld && this.#random.next() < 0.5) await till.free(id, UNTIL_ANSWERED);
    return { id, of: "uses", isDone: false, inChanges: [] };
  }

  /** Tries once. If no answer comes, the use has happened without a line, and a backend feeds it later. */
  async #offline(id: string, till: Till): Promise<Outcome> {
    const body = { id, ...this.#coupon };
    const result = await till.redeem(body, { takeBack: false, repeatForMs: 500 }).catch(ifLoyaltyError);
    if (result !== null) return { id, of: "uses", isDone: result.status, inChanges: result.status ? [id] : [] };
    await this.#stage.world.time.wait(this.#random.integer(0, 30_000));
    const fed = await feedUntilAnswered(this.#stage, this.#random, [{ record: "redemption", ...body }]);
    return { id, of: "uses", isDone: fed?.status === 200 ? true : null, inChanges: [] };
  }

  #check(spent: number, used: number, outcomes: string): void {
    const { world } = this.#stage;
    const [stored] = world.database.primary.read<{ balance: number; redeemed: number }>(
      `SELECT customers.balance, customer_coupons.redeemed FROM customers
       JOIN customer_coupons ON customer_coupons.customer_key = customers.key WHERE customers.id = ?`,
      this.#name,
    );
    const left = this.#points - spent;
    if (left < 0 || stored?.balance !== left * 100 || stored.redeemed !== used)
      world.fail(
        TILL_ONCE,
        `${JSON.stringify(stored)} is left of ${this.#points} points and ${this.#uses} uses: ${outcomes}`,
      );
  }

  /** All holds have ended. So a use can be redeemed exactly if one is left. */
  async #redeemLast(used: number): Promise<void> {
    const [id, till] = this.#open(`${this.#name} last`);
    const { status, httpStatus } = await till.redeem({ id, ...this.#coupon }, UNTIL_ANSWERED);
    if (httpStatus === FULL) return;
    if (status !== used < this.#uses && !this.#isUnsure())
      this.#stage.world.fail(
        TILL_FREE,
        `${used} of ${this.#uses} uses of ${this.#name} are gone, and the answer is ${httpStatus}`,
      );
  }
}

/** Whether a call is answered as done. False if it is given up. */
async function isTrue(call: Promise<{ status: boolean }>): Promise<boolean> {
  return (await call.catch(ifLoyaltyError))?.status === true;
}

/** Null for an act that was given up. @throws any other error. */
function ifLoyaltyError(error: unknown): null {
  if (error instanceof Error && error.name === "LoyaltyError") return null;
  throw error;
}
