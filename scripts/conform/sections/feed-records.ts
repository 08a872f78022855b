import { expectFields, expectSame } from "../expect.ts";
import type { Item } from "../http.ts";
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
  store,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

/** What each kind needs, besides its key (docs/contract/feed.md, 4). */
const REQUIRED: Record<string, readonly string[]> = {
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

/** docs/contract/feed.md, 4 */
export async function feedRecords(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, digital, talk, outsider } = suite.ids("shop plain digital talk outsider");
  const word = suite.word();
  const refused = async (line: Line, ...fields: string[]) =>
    suite.refused([line], ...fields.map((field) => `line 1.${field}`));

  return {
    cited: "feed, 4",
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
    feeds: {
      "Required fields have an exclamation mark.": async () => {
        for (const [record, fields] of Object.entries(REQUIRED)) await refused({ record }, ...fields);
      },
      "A default other than that of section 3 stands in parentheses.": async () => {
        const id = suite.id("issued");
        await suite.feed(campaign(suite.id("campaign"), accountId, { name: word }), issued(id, ann.id, plain, shop));
        const [came] = await suite.found(ann, "campaigns", word);
        const ofCampaign = {
          status: 1,
          trigger_type: "None",
          reward_type: "PercentDollarValue",
          cash_tender_multiplier: "1.00",
          trigger_amount: "0.00",
          campaign_end_date: null,
        };
        expectFields(came, ofCampaign);
        const items = (await suite.get(ann, "coupons")).body.items as Item[];
        const ofCoupon = {
          creation_method: "TriggeredSale",
          total_count: 1,
          usage_count: 0,
          expiration_type: "Never_Expires",
          coupon_barcode: 0,
          updated_at: null,
        };
        expectFields(
          items.find((item) => item.id === id),
          ofCoupon,
        );
      },
      '`store_ids` ("all"): an array of stores of the account, or `"all"`, which includes future stores': async () => {
        const ids = suite.ids("everywhere future");
        const place = { latitude: -40, longitude: -150 };
        const near = async () =>
          (await suite.post(ann, "campaigns/near-by-popular-campaigns", { ...place, single_account_id: accountId }))
            .body.items;
        await suite.feed(campaign(ids.everywhere, accountId, { name: "Everywhere" }));
        expectSame(await near(), []);
        await suite.feed(store(ids.future, accountId, place));
        const listed = ((await near()) as Item[]).some((item) => item.id === ids.everywhere);
        expectSame(listed, true);
      },
      "`customer_id`! (who earns: a member of the store, or one who has left)": async () => {
        await refused(earning(suite.id("earning"), shop, outsider, 1, "1.00"), "customer_id");
        for (const level of [0, 6, "1"])
          await refused(earning(suite.id("earning"), shop, ann.id, level, "1"), "level_no");
      },
      "both!, different; `status`! (0 or 1). The pair has no order": async () => {
        await refused(friendship(ann.id, ann.id, 1), "friend_id");
        const name = suite.word();
        await suite.feed(customer(outsider, `Out ${name}`), friendship(ann.id, outsider, 0));
        await suite.feed(friendship(outsider, ann.id, 1));
        if (suite.settings.customerSearch === "none") return;
        const [came] = await suite.found(ann, "customers", name);
        expectFields(came, { friend_status: 1 });
      },
      "`member_ids`! (with the initial customer, none twice)": async () => {
        await refused(group(suite.id("group"), [ann.id, ann.id]), "member_ids");
        await refused({ ...group(suite.id("group"), [ann.id, ben.id]), initial_customer_id: outsider }, "member_ids");
      },
      "`customer_id`! (a member)": async () => {
        await refused(message(suite.id("message"), talk, outsider, "Hello"), "customer_id");
        await refused({ record: "message_state", group_id: talk, customer_id: outsider }, "customer_id");
      },
      "`campaign_coupon_id`! (a coupon of kind store or mfg)": async () => {
        await refused(issued(suite.id("issued"), ann.id, digital, shop), "campaign_coupon_id");
      },
      "`amount`! (a decimal)": async () => refused(entry(suite.id("entry"), ann.id, shop, "a lot"), "amount"),
      "`kind`! (`store`, `mfg` or `digital`)": async () =>
        refused(coupon(suite.id("coupon"), accountId, { kind: "paper" }), "kind"),
    },
  };
}
