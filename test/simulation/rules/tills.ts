import { current } from "../platform/invocation.ts";
import type { World } from "../world.ts";
import { TILL_CHANGES, TILL_FREE, TILL_QUIET, TILL_USES } from "./names.ts";

/** The promises to tills: docs/contract/till.md. */
export class TillRules {
  readonly #world: World;
  #version = 0;
  /** The ids of the holds that were stored. */
  readonly #holds = new Set<string>();
  /** The ids of the acts that were answered as done, since the database was last set back. */
  readonly #done = new Set<string>();
  /** The ids that the changes had, since their follower last began. */
  readonly #inChanges = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.objects.onCall = (method) => this.#checkQuiet(method);
  }

  noteCommit(): void {
    const request = current.getStore()?.request;
    const [state] = this.#world.database.primary.read<{ version: number }>("SELECT version FROM program_state");
    const isNew = state !== undefined && state.version !== this.#version;
    this.#version = state?.version ?? 0;
    if (!request) return;
    if (isNew) request.hasVersion = true;
    if (request.method !== "POST") return;
    const { id, customer_coupon_id: coupon } = JSON.parse(
      request.path.startsWith("/api/v1/till") ? (request.body ?? "{}") : "{}",
    );
    if (request.path.endsWith("/till/redemptions") && isNew) {
      this.#checkUses(coupon, id);
      if (this.#isHeld(id)) this.#world.fail(TILL_FREE, `${id} is redeemed, and still holds a use`);
    }
    if (request.path.endsWith("/till/holds") && !this.#holds.has(id) && this.#isHeld(id)) {
      request.hasVersion = true;
      this.#checkUses(coupon, id);
      this.#holds.add(id);
    }
  }

  #isHeld(id: string): boolean {
    return this.#world.database.primary.read("SELECT 1 FROM live_holds WHERE id = ?", id).length > 0;
  }

  /**
   * What a till has just got was free: what is used and held is not more than there is. A redemption that is fed has happened, so
   * it may use what a till holds. The hold's own redemption is taken nevertheless.
   */
  #checkUses(coupon: string, id: string): void {
    const [counts] = this.#world.database.primary.read<{ total: number; used: number; fed: number }>(
      `SELECT total_count AS total, usage_count + redeemed
         + (SELECT count(*) FROM live_holds WHERE customer_coupon_key = customer_coupons.id) AS used,
         (SELECT count(*) FROM redemptions JOIN requests ON requests.version = redemptions.request
           WHERE customer_coupon_key = customer_coupons.id AND source = 'feed') AS fed
       FROM customer_coupons WHERE id = ?`,
      coupon,
    );
    const mayBeOver = this.#holds.has(id) ? (counts?.fed ?? 0) : 0;
    if (counts !== undefined && counts.used > counts.total + mayBeOver)
      this.#world.fail(
        TILL_USES,
        `${id} got one of ${counts.total} uses of ${coupon}, of which ${counts.used} are gone`,
      );
  }

  /** An act that has changed nothing calls no inbox to notify it. */
  #checkQuiet(method: string): void {
    const request = current.getStore()?.request;
    const isWrite = request?.path.startsWith("/api/v1/till") && request.method === "POST";
    if (isWrite && method.startsWith("notify") && !request?.hasVersion)
      this.#world.fail(TILL_QUIET, request?.path ?? "");
  }

  /** @param begunAt when the till first sent the act. Time travel after that may have undone it. */
  noteDone(id: string, begunAt: number): void {
    if (this.#world.setBackAt < begunAt) this.#done.add(id);
  }

  noteChange({ id }: { id: string }): void {
    if (this.#inChanges.has(id)) this.#world.fail(TILL_CHANGES, `${id} comes twice`);
    this.#inChanges.add(id);
  }

  /** The follower of the changes begins with the oldest line that is kept. */
  beginChanges(): void {
    this.#inChanges.clear();
  }

  /** What a follower finds who begins to read now, and reads all changes. */
  get inNextChanges(): readonly string[] {
    return [...this.#done];
  }

  /** Call it after the last change was read. `expected`: of before the read. Time travel may have undone some of it since. */
  checkChanges(expected: readonly string[]): void {
    const missing = expected.find((id) => this.#done.has(id) && !this.#inChanges.has(id));
    if (missing !== undefined) this.#world.fail(TILL_CHANGES, `${missing} is missing`);
  }

  /** The database was set back. */
  forget(): void {
    this.#done.clear();
    this.#holds.clear();
    this.#version = 0;
  }
}
