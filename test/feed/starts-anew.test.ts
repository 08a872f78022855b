import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { freshId } from "../support/seed.ts";

// An erased customer who is written again starts anew: nothing that ended returns (docs/contract/feed.md, 2).

/** A program with a customer who did everything, and was erased. */
async function withErased() {
  const account = seed.account({ company: "Blue Cup" });
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const coupon = seed.coupon(account.id, { created_at: "2026-01-01 00:00:00" });
  const named = (first_name: string) => seed.customer({ first_name, last_name: "Of Old" });
  const [former, sponsor, child, friend, foe] = ["Former", "Sponsor", "Child", "Friend", "Foe"].map(named) as Five;
  const group = seed.group([former.id, friend.id, foe.id]);
  const issued = seed.customerCoupon(former.id, coupon.id, store.id, {
    creation_method: "Signup Bonus",
    coupon_id: "7",
  });
  await mustFeed([
    ...[account, store, campaign, coupon, former, sponsor, child, friend, foe, group, issued],
    seed.membership(store.id, sponsor.id),
    seed.membership(store.id, former.id, { referrer_id: sponsor.id }),
    seed.membership(store.id, child.id, { referrer_id: former.id }),
    seed.earning(store.id, former.id, 1, "5.00"),
    seed.earning(store.id, sponsor.id, 2, "3.00"),
    seed.registration(campaign.id, former.id),
    seed.friendship(former.id, friend.id),
    seed.block(former.id, foe.id),
    seed.block(foe.id, former.id),
    seed.messageState(group.id, former.id, { read_at: "2026-01-06 09:00:00", notifications_disabled: 1 }),
    seed.message(group.id, former.id, { body: "Hello", sent_at: "2026-01-06 09:00:00" }),
  ]);
  await mustFeed([seed.deleted("customer", { id: former.id })]);
  return { account, store, campaign, coupon, issued, former, sponsor, child, friend, foe, group };
}

type Five = [Customer, Customer, Customer, Customer, Customer];
type Customer = ReturnType<typeof seed.customer>;
type World = Awaited<ReturnType<typeof withErased>>;

/** What everybody sees, with a name in place of each id. `anew`: the customer who is written after the erasure. */
async function answersIn({ account, store, group, former, ...world }: World, anew: string): Promise<unknown> {
  const { sponsor, child, friend, foe } = world;
  const team = `/api/v1/customer/stores/${store.id}/team-with-level`;
  const lists = ["me", "me/entries", "messages", "coupons", "coupons?includemfg=1", "my-coupons"];
  const paths = [...lists.map((list) => `/api/v1/customer/${list}`), team, `${team}?team_member_id=${anew}`];
  const answers = [];
  for (const [name, id] of Object.entries({
    anew,
    sponsor: sponsor.id,
    child: child.id,
    friend: friend.id,
    foe: foe.id,
  })) {
    const api = as(id);
    for (const path of paths) {
      const { status, body } = await api.get(path);
      answers.push([name, path, status, body]);
    }
    const { body } = await api.post("/api/v1/customer/full-search", { query: "anew", filter: "customers" });
    const customers = body.customers.filter((found: Customer) => found.id === anew);
    answers.push([name, "search", customers]);
  }
  const ids = { anew, former: former.id, account: account.id, store: store.id, group: group.id, ...idsOf(world) };
  // The former customer may have the id of the new.
  const names = Object.entries(ids).map(([name, id]) => [`"${id}"`, `"${name === "former" ? "anew" : name}"`] as const);
  const text = names.reduce((json, [id, name]) => json.replaceAll(id, name), JSON.stringify(answers));
  return JSON.parse(text.replaceAll(`/${store.id}/`, "/store/").replaceAll(`=${anew}"`, '=anew"'));
}

const idsOf = (records: Record<string, { id: unknown }>) =>
  Object.fromEntries(Object.entries(records).map(([name, { id }]) => [name, id]));

/** A minimal line of each kind that refers to a customer. */
const MINIMAL: Record<string, (world: World, anew: string) => FeedLine[]> = {
  nothing: () => [],
  membership: ({ store }, anew) => [seed.membership(store.id, anew)],
  "membership with another sponsor": ({ store, friend }, anew) => [
    seed.membership(store.id, friend.id),
    seed.membership(store.id, anew, { referrer_id: friend.id }),
  ],
  "membership of a child": ({ store, friend }, anew) => [
    seed.membership(store.id, anew),
    seed.membership(store.id, friend.id, { referrer_id: anew }),
  ],
  "membership that the former child repeats": ({ store, child }, anew) => [
    seed.membership(store.id, anew),
    seed.membership(store.id, child.id),
  ],
  token_earning: ({ store }, anew) => [seed.membership(store.id, anew), seed.earning(store.id, anew, 1, "0.50")],
  registration: ({ campaign, store }, anew) => [seed.membership(store.id, anew), seed.registration(campaign.id, anew)],
  friendship: ({ friend }, anew) => [seed.friendship(anew, friend.id, 0)],
  block: ({ foe }, anew) => [seed.block(anew, foe.id)],
  message_group: ({ group, friend, foe }, anew) => [
    // The group that the former customer began is removed.
    { ...group, initial_customer_id: friend.id, member_ids: [friend.id, foe.id, anew] },
  ],
  message_state: (world, anew) => [
    ...(MINIMAL.message_group?.(world, anew) ?? []),
    seed.messageState(world.group.id, anew),
  ],
  message: (world, anew) => [
    ...(MINIMAL.message_group?.(world, anew) ?? []),
    seed.message(world.group.id, anew, { body: "I am new", sent_at: "2026-01-06 10:00:00" }),
  ],
  customer_coupon: ({ coupon, store, issued, former }, anew) => [
    seed.customerCoupon(anew, coupon.id, store.id, {
      ...(former.id === anew && { id: issued.id }),
      created_at: "2026-01-06 10:00:00",
    }),
  ],
};

describe("an erased customer who is written again", () => {
  it.for(Object.keys(MINIMAL))(
    "is answered like one who never existed before, with a line of: %s",
    async (kind, { expect }) => {
      const answers = [];
      for (const isSame of [true, false]) {
        const world = await withErased();
        const anew = isSame ? world.former.id : freshId("c");
        await mustFeed([{ record: "customer", id: anew, first_name: "Anew", last_name: "Born" }]);
        if (kind.startsWith("message")) await mustFeed([seed.deleted("message_group", { id: world.group.id })]);
        const lines = MINIMAL[kind]?.(world, anew) ?? [];
        if (lines.length > 0) await mustFeed(lines);
        const coupon = lines.find((line) => typeof line === "object" && line.record === "customer_coupon");
        const issued = typeof coupon === "object" ? { id: String(coupon.id) } : world.issued;
        answers.push(await answersIn({ ...world, issued: issued as never }, anew));
      }

      expect(answers[0]).toEqual(answers[1]);
      expect(await differences()).toEqual([]);
    },
  );

  it("is no member, and so earns no tokens, before they join again", async ({ expect }) => {
    const { store, former } = await withErased();
    await mustFeed([{ record: "customer", id: former.id, first_name: "Anew", last_name: "Born" }]);

    const earning = await feed([seed.earning(store.id, former.id, 1, "1")]);
    const child = await feed([seed.membership(store.id, seed.freshId("nobody"), { referrer_id: former.id })]);

    expect(earning.body.messages).toEqual({ "line 1.customer_id": ["must be a member of the store"] });
    expect(Object.keys(child.body.messages)).toContain("line 1.customer_id");
  });

  it("has no part in undoing what the former life earned", async ({ expect }) => {
    const { store, former, sponsor } = await withErased();
    const again = { record: "customer", id: former.id, first_name: "Anew", last_name: "Born" };
    await mustFeed([again, seed.membership(store.id, former.id, { referrer_id: sponsor.id })]);
    await mustFeed([seed.earning(store.id, former.id, 1, "2.00")]);
    const undo = (tokens: string, more = {}) =>
      seed.earning(store.id, former.id, 1, tokens, { id: freshId("undo:"), ...more });

    await mustFeed([undo("-5.00"), undo("-0.50", { life: 1 })]);

    const team = await as(sponsor.id).get(`/api/v1/customer/stores/${store.id}/team-with-level`);
    const member = team.body.items.find(({ id }: { id: string }) => id === former.id);
    expect(member.levels[0]).toEqual({ level_no: 1, total_members: 0, total_tokens_earned: 1.5 });
    expect(await differences()).toEqual([]);
  });

  it("may be erased and written again any number of times", async ({ expect }) => {
    const { store, former, sponsor, child } = await withErased();
    const customer = { record: "customer", id: former.id, first_name: "Anew", last_name: "Born" };
    for (let life = 0; life < 3; life += 1) {
      await mustFeed([customer, seed.membership(store.id, former.id, { referrer_id: sponsor.id })]);
      await mustFeed([seed.earning(store.id, former.id, 1, "1.00")]);
      await mustFeed([seed.deleted("customer", { id: former.id })]);
    }

    await mustFeed([customer, seed.membership(store.id, former.id, { referrer_id: child.id })]);

    const team = await as(sponsor.id).get(`/api/v1/customer/stores/${store.id}/team-with-level`);
    const places = team.body.items.map(({ id, current_level }: { id: string; current_level: number }) => [
      id,
      current_level,
    ]);
    expect(places).toEqual([
      [child.id, 2],
      [former.id, 3],
    ]);
    expect(await differences()).toEqual([]);
  });
});
