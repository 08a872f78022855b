import * as seed from "./seed.ts";

type Line = Record<string, unknown> & { record: string };

/**
 * A record of every kind, all of one account and one customer. `mark` is in the texts of each record, so that a test
 * sees from which program a record is.
 */
export function program(mark: string) {
  const marked = (field: string) => `${mark} ${field}`;
  const account = seed.account({
    company: marked("company"),
    core_tenant_id: marked("tenant"),
    loyalty_options: { mailer_password: marked("password"), description: marked("description") },
  });
  const store = seed.store(account.id, { name: marked("store"), phone: marked("phone") });
  const campaign = seed.campaign(account.id, { name: marked("campaign"), store_ids: [store.id] });
  const customer = seed.customer({
    first_name: mark,
    scan_id: marked("scan"),
    date_of_birth: "1815-12-10",
    address_line_1: marked("address"),
    address_line_2: marked("address 2"),
    city: marked("city"),
    state: marked("state"),
    zip: marked("zip"),
  });
  const friend = seed.customer({ first_name: `${mark}-friend` });
  const coupon = seed.coupon(account.id, { name: marked("coupon"), campaign_id: campaign.id });
  const mfg = seed.coupon(account.id, { name: marked("mfg"), kind: "mfg" });
  const digital = seed.coupon(account.id, { name: marked("digital"), kind: "digital" });
  const issued = seed.customerCoupon(customer.id, coupon.id, store.id, { total_count: 9 });
  const employee = seed.employee(account.id, { name: marked("employee") });
  const contest = seed.eipCampaign(account.id, { name: marked("contest") });
  const group = seed.group([customer.id, friend.id], { group_image: marked("image") });
  const recordOf: Record<string, Line> = {
    account,
    store,
    campaign,
    customer,
    membership: seed.membership(store.id, customer.id),
    token_earning: seed.earning(store.id, customer.id, 1, "1.00"),
    message_group: group,
    message: seed.message(group.id, friend.id, { body: marked("message"), sent_at: "2026-01-01 00:00:00" }),
    message_state: seed.messageState(group.id, customer.id),
    registration: seed.registration(campaign.id, customer.id),
    friendship: seed.friendship(customer.id, friend.id),
    block: seed.block(friend.id, customer.id),
    coupon,
    customer_coupon: issued,
    balance_entry: seed.entry(customer.id, store.id, "5.00", { campaign_id: campaign.id }),
    redemption: seed.redemption(issued.id, store.id),
    employee,
    eip_campaign: contest,
    play: seed.play(contest.id, store.id, employee.id, { runs: "3" }),
  };
  const otherLines = [
    friend,
    seed.membership(store.id, friend.id, { referrer_id: customer.id }),
    mfg,
    digital,
    seed.customerCoupon(customer.id, mfg.id, store.id),
  ];
  const lines = [...Object.values(recordOf), ...otherLines];
  return { mark, recordOf, lines, account, store, campaign, customer, friend, contest, issued };
}

export type Program = ReturnType<typeof program>;
