import * as seed from "../../support/seed.ts";
import { filledIn, IDS, type Line, type Step } from "./filled-in.ts";

// One program with all that an export must carry: each field of each kind other than its default, and every state in
// which a record can be.

const { accounts, stores, campaigns, customers, coupons, customerCoupons, groups, employees, contests } = IDS;
const [chain, small] = accounts;
const [main, side, far] = stores;
const [ada, bob, cyd, dan] = customers;
const [team, old] = groups;
const HISTORY = "2026-01-01 00:00:01";

const date = "2999-01-01";
const there = { time_zone: "America/Los_Angeles" };
const ada1 = { first_name: "Ada", last_name: "X" };
const gone = (record: string, key: object): Line => seed.deleted(record, key);
const said = (id: string, group: unknown, customer: unknown, fields: object = {}): Line =>
  seed.message(group, customer, { id, body: id, sent_at: null, ...fields });

/** A record of every kind in each of its forms, with every field that a line of it may have. */
export const FULL_RECORDS: Line[] = [
  seed.account({ id: small, company: "Small" }),
  seed.account({ id: chain, company: "Ada's" }),
  // Not in the order of their ids, nor of what refers to them.
  seed.store(chain, { id: side, latitude: 1, longitude: 3 }),
  seed.store(chain, { id: main, latitude: 1, longitude: 3 }),
  seed.store(small, { id: far }),
  seed.campaign(chain, { id: campaigns[1], store_ids: [main] }),
  seed.campaign(chain, { id: campaigns[0], store_ids: "all", ...there }),
  seed.campaign(small, { id: campaigns[2], store_ids: [] }),
  seed.customer({ id: dan, first_name: "Zoë", last_name: "X" }),
  seed.customer({ id: cyd, ...ada1 }),
  seed.customer({ id: bob, ...ada1 }),
  seed.customer({ id: ada, ...ada1 }),
  seed.membership(main, ada),
  seed.membership(main, bob, { referrer_id: ada }),
  seed.membership(main, cyd, { referrer_id: bob }),
  seed.membership(side, dan),
  seed.membership(far, ada),
  seed.registration(campaigns[0], ada),
  seed.registration(campaigns[1], bob),
  seed.friendship(ada, cyd),
  seed.friendship(cyd, bob, 0),
  seed.block(ada, bob),
  seed.block(cyd, ada),
  seed.coupon(chain, { id: coupons[1], kind: "mfg" }),
  seed.coupon(chain, { id: coupons[0], campaign_id: campaigns[1], can_expire: 1, expiration_date: date, ...there }),
  seed.coupon(chain, { id: coupons[2], kind: "digital" }),
  seed.coupon(small, { id: coupons[3], kind: "digital" }),
  seed.customerCoupon(ada, coupons[0], main, { id: customerCoupons[1], usage_count: 1, total_count: 3 }),
  seed.customerCoupon(ada, coupons[1], side, { id: customerCoupons[0], expected_end_date: date, ...there }),
  seed.customerCoupon(dan, coupons[1], side, { id: customerCoupons[2] }),
  ...employees.map((id) => seed.employee(chain, { id })),
  ...contests.map((id) => seed.eipCampaign(chain, { id, ...there })),
  seed.group([bob, ada, cyd, dan], { id: team }),
  seed.group([cyd, ada], { id: old }),
  seed.messageState(team, ada),
  seed.messageState(team, cyd),
  { ...seed.entry(ada, main, "12.34", { campaign_id: campaigns[0] }), id: "b2" },
  { ...seed.entry(dan, main, "-0.05"), id: "b1" },
  { ...seed.earning(main, ada, 2, "1.50"), id: "t2" },
  { ...seed.earning(main, cyd, 5, "-0.25"), id: "t1" },
  seed.play(contests[0], main, employees[1], { id: "y2", runs: "1.5" }),
  seed.play(contests[1], main, employees[0], { id: "y1", runs: "-0.5" }),
].map((line, at) => filledIn(line as Line, at));

/** The requests of the program, in turn. */
export const FULL_PROGRAM: Step[] = [
  { seconds: 1, lines: FULL_RECORDS },
  // Of three messages of one second the last has the smallest id, and so has that of the second before.
  { seconds: 1, lines: [said("m3", team, ada), said("m2", team, dan), said("h1", team, ada, { sent_at: HISTORY })] },
  { seconds: 0, lines: [said("m1", team, bob), said("o1", old, ada)] },
  { seconds: 1, lines: [said("m6", team, cyd), said("m5", team, ada), said("m4", team, dan)] },
  // A group that is removed twice and comes back, each time with messages; another that stays removed.
  { seconds: 1, lines: [gone("message_group", { id: old })] },
  { seconds: 1, lines: [filledIn(seed.group([ada, cyd], { id: old }) as Line, 90), said("o3", old, cyd)] },
  { seconds: 0, lines: [gone("message_group", { id: old })] },
  { seconds: 0, lines: [filledIn(seed.group([ada, bob, cyd], { id: old }) as Line, 91), said("o2", old, bob)] },
  { seconds: 0, lines: [seed.group([ada, bob], { id: "gone" }), said("x1", "gone", bob)] },
  { seconds: 0, lines: [gone("message_group", { id: "gone" })] },
  { seconds: 0, lines: [seed.group([ada, bob], { id: "silent" })] },
  { seconds: 0, lines: [gone("message_group", { id: "silent" })] },
  // Who erased, and who came back; a group whose initial customer is no longer in it, and one that is empty.
  { seconds: 1, lines: [seed.group([dan, bob], { id: "empty" })] },
  { seconds: 0, lines: [gone("customer", { id: bob }), gone("customer", { id: dan })] },
  { seconds: 0, lines: [seed.customer({ id: dan, first_name: "Dan", last_name: "Again" })] },
  // Soft-deleted: one of each kind; and one that came back.
  { seconds: 1, lines: [gone("membership", { store_id: main, customer_id: cyd }), gone("store", { id: side })] },
  {
    seconds: 0,
    lines: [
      gone("campaign", { id: campaigns[1] }),
      gone("coupon", { id: coupons[1] }),
      gone("employee", { id: employees[0] }),
      gone("eip_campaign", { id: contests[1] }),
      gone("account", { id: small }),
      gone("friendship", { customer_id: cyd, friend_id: bob }),
      gone("store", { id: main }),
    ],
  },
  { seconds: 0, lines: [filledIn(seed.store(chain, { id: main, latitude: 1, longitude: 3 }) as Line, 92)] },
  // The clock is set back, so that the stamp is later than what the clock said.
  { seconds: -1, lines: [said("z1", old, ada)] },
];

/** What both databases are fed afterwards: every id returns. */
export const FURTHER: Step[] = [
  { seconds: 0, lines: [said("z0", old, cyd), said("m1", team, ada)] },
  { seconds: 1, lines: [said("z2", old, ada), said("h2", team, ada, { sent_at: HISTORY })] },
  { seconds: 0, lines: [gone("message_group", { id: old })] },
  { seconds: 0, lines: [seed.group([ada, cyd], { id: old }), said("o9", old, ada), said("o1", old, cyd)] },
  { seconds: 0, lines: [seed.group([ada, cyd], { id: "silent" }), seed.group([ada, cyd], { id: "gone" })] },
  { seconds: 1, lines: [seed.customer({ id: bob, ...ada1 }), seed.membership(main, bob), seed.membership(main, cyd)] },
  {
    seconds: 0,
    lines: [
      seed.account({ id: small, company: "Small" }),
      seed.campaign(chain, { id: campaigns[1] }),
      seed.coupon(chain, { id: coupons[1], kind: "mfg" }),
      seed.employee(chain, { id: employees[0] }),
      seed.eipCampaign(chain, { id: contests[1] }),
      seed.store(chain, { id: side, latitude: 1, longitude: 3 }),
    ],
  },
  {
    seconds: 0,
    lines: [
      { ...seed.entry(ada, side, "1.00", { campaign_id: campaigns[1] }), id: "b1" },
      { ...seed.entry(bob, side, "1.00", { campaign_id: campaigns[1] }), id: "b3" },
    ],
  },
  {
    seconds: 0,
    lines: [
      { ...seed.earning(main, bob, 1, "2.00"), id: "t3" },
      seed.play(contests[1], side, employees[0], { id: "y3" }),
    ],
  },
  { seconds: 1, lines: [said("z3", old, ada)] },
  { seconds: 0, lines: [gone("customer", { id: ada })] },
  { seconds: 1, lines: [said("z4", old, cyd)] },
];
