import { expectFields, expectList, expectSame } from "../expect.ts";
import { idsOf } from "../http.ts";
import {
  account,
  campaign,
  coupon,
  customer,
  earning,
  entry,
  friendship,
  group,
  issued,
  membership,
  message,
  messageState,
  store,
} from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

/** The required fields of each kind of record. */
const REQUIRED_FIELDS: Record<string, readonly string[]> = {
  account: ["id", "company"],
  store: ["id", "account_id", "name", "latitude", "longitude"],
  campaign: ["id", "account_id", "name", "campaign_start_date"],
  customer: ["id", "first_name", "last_name"],
  membership: ["store_id", "customer_id"],
  registration: ["campaign_id", "customer_id"],
  balance_entry: ["id", "customer_id", "store_id", "amount"],
  token_earning: ["id", "store_id", "customer_id", "level_no", "tokens"],
  friendship: ["customer_id", "friend_id", "status"],
  block: ["customer_id", "blocked_id"],
  message_group: ["id", "initial_customer_id", "member_ids"],
  message: ["id", "group_id", "customer_id", "body"],
  message_state: ["group_id", "customer_id"],
  coupon: ["id", "account_id", "kind", "name", "type", "value"],
  customer_coupon: ["id", "customer_id", "campaign_coupon_id", "store_id"],
  employee: ["id", "account_id", "name"],
  eip_campaign: ["id", "account_id", "name", "start_date"],
  play: ["id", "eip_campaign_id", "location_id", "employee_id"],
};

export async function feedRecords(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, digital, talk, outsider } = suite.ids("shop plain digital talk outsider");

  return {
    section: "feed, 4",
    lines: [
      account(accountId),
      store(shop, accountId),
      coupon(plain, accountId),
      coupon(digital, accountId, { kind: "digital" }),
      customer(ann.id),
      customer(ben.id),
      customer(outsider),
      membership(shop, ann.id),
      group(talk, [ann.id, ben.id]),
    ],
    rulesWithFeeding: {
      "Required fields have an exclamation mark.": async () => {
        for (const [record, fields] of Object.entries(REQUIRED_FIELDS))
          await suite.expectLineRefused({ record }, ...fields);
      },
      "A default other than that of section 3 stands in parentheses.": async () => {
        const [id, name] = [suite.id("issued"), suite.word()];
        await suite.feed(campaign(suite.id("campaign"), accountId, { name }), issued(id, ann.id, plain, shop));
        const [actual] = await suite.search(ann, "campaigns", name);
        expectFields(actual, {
          ...{ status: 1, trigger_type: "None", reward_type: "PercentDollarValue", cash_tender_multiplier: "1.00" },
          ...{ trigger_amount: "0.00", campaign_end_date: null },
        });
        expectFields(await suite.couponOf(ann, id), {
          ...{ creation_method: "TriggeredSale", total_count: 1, usage_count: 0, updated_at: null },
          ...{ expiration_type: "Never_Expires", coupon_barcode: 0 },
        });
      },
      '`store_ids` ("all"): an array of stores of the account, or `"all"`, which includes future stores': async () => {
        const ids = suite.ids("everywhere future");
        const coordinates = { latitude: -40, longitude: -150 };
        const query = { ...coordinates, single_account_id: accountId };
        const nearbyCampaigns = () => suite.post(ann, "campaigns/near-by-popular-campaigns", query);
        await suite.feed(campaign(ids.everywhere, accountId));
        expectList(await nearbyCampaigns(), []);
        await suite.feed(store(ids.future, accountId, coordinates));
        expectSame(idsOf(await nearbyCampaigns()).includes(ids.everywhere), true);
      },
      "`customer_id`! (who earns: a member of the store, or one who has left)": async () => {
        await suite.expectLineRefused(earning(suite.id("earning"), shop, outsider, 1, "1.00"), "customer_id");
        for (const level of [0, 6, "1"])
          await suite.expectLineRefused(earning(suite.id("earning"), shop, ann.id, level, "1"), "level_no");
      },
      "both!, different; `status`! (0 or 1). The pair has no order": async () => {
        await suite.expectLineRefused(friendship(ann.id, ann.id, 1), "friend_id");
        const name = suite.word();
        await suite.feed(customer(outsider, `Out ${name}`), friendship(ann.id, outsider, 0));
        await suite.feed(friendship(outsider, ann.id, 1));
        if (suite.settings.customerSearch === "none") return;
        expectList(await suite.search(ann, "customers", name), [1], "friend_status");
      },
      "`member_ids`! (with the initial customer, none twice)": async () => {
        await suite.expectLineRefused(group(suite.id("group"), [ann.id, ann.id]), "member_ids");
        await suite.expectLineRefused(
          { ...group(suite.id("group"), [ann.id, ben.id]), initial_customer_id: outsider },
          "member_ids",
        );
      },
      "`customer_id`! (a member)": async () => {
        await suite.expectLineRefused(message(suite.id("message"), talk, outsider, "Hello"), "customer_id");
        await suite.expectLineRefused(messageState(talk, outsider), "customer_id");
      },
      "`campaign_coupon_id`! (a coupon of kind store or mfg)": async () => {
        await suite.expectLineRefused(issued(suite.id("issued"), ann.id, digital, shop), "campaign_coupon_id");
      },
      "`amount`! (a decimal)": async () =>
        suite.expectLineRefused(entry(suite.id("entry"), ann.id, shop, "a lot"), "amount"),
      "`kind`! (`store`, `mfg` or `digital`)": async () =>
        suite.expectLineRefused(coupon(suite.id("coupon"), accountId, { kind: "paper" }), "kind"),
    },
  };
}
