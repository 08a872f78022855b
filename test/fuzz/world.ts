import fc from "fast-check";
import type { FeedLine } from "../support/api.ts";
import { HOSTILE_QUERIES } from "../support/hostile-words.ts";
import * as seed from "../support/seed.ts";
import { hostileText } from "./hostile.ts";

// A small program, so that random ids are often stored. It has many customers: each may ask only 600 times a minute.

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

export const CALLERS = numbered("fc", 400);

const IDS = {
  account: ["901", "902", "903"],
  store: numbered("fs", 4),
  campaign: numbered("fk", 3),
  customer: CALLERS.slice(0, 6),
  coupon: numbered("fq", 4),
  customer_coupon: numbered("fi", 6),
  employee: numbered("fm", 4),
  eip_campaign: numbered("fp", 3),
  message_group: numbered("fg", 3),
  event: numbered("fe", 40),
};

/** The ids to choose from for each field that refers to a record. */
const IDS_OF_FIELD: Record<string, readonly string[]> = {
  account_id: IDS.account,
  accountId: IDS.account,
  single_account_id: IDS.account,
  store_id: IDS.store,
  store_ids: IDS.store,
  storeId: IDS.store,
  campaign_id: IDS.campaign,
  campaign_coupon_id: IDS.coupon,
  location_id: IDS.store,
  eip_campaign_id: IDS.eip_campaign,
  employee_id: IDS.employee,
  group_id: IDS.message_group,
};

const DATETIMES = ["2020-01-01 00:00:00", "2026-11-20 12:00:00", "2099-12-31 23:59:59"];
const DATES = ["2000-02-29", "2026-01-01", "2099-12-31"];

/** Makes plausible values for a field by its name. For `id`, the kind of record decides. */
export function plausible(record = ""): (field: string) => fc.Arbitrary<unknown> {
  const own: readonly string[] = (IDS as Record<string, readonly string[]>)[record] ?? IDS.event;
  return (field) => {
    if (field === "id") return fc.constantFrom(...own);
    const ids = IDS_OF_FIELD[field];
    if (ids !== undefined) return fc.constantFrom(...ids);
    if (/customer|blocked|friend|referrer|member/.test(field)) return fc.constantFrom(...IDS.customer);
    if (/_at$|time$/.test(field)) return fc.constantFrom(...DATETIMES);
    if (/_date$/.test(field)) return fc.constantFrom(...DATES, ...DATETIMES);
    if (field === "date_of_birth") return fc.constantFrom(...DATES);
    if (/amount|value|tokens|runs|multiplier/.test(field)) return fc.constantFrom("0", "1.00", "-0.5", "12.25");
    if (/latitude|longitude/.test(field)) return fc.constantFrom(35.47, 35.5, "35.47", -97.52);
    if (/^(page|per_page|count|level_no|limit)$/.test(field)) return fc.constantFrom("1", "2", "5");
    if (/^(is_|can_|once_|include|digital|reserved|status|hits|doubles|triples)/.test(field))
      return fc.constantFrom<unknown>(0, 1, "true", "false");
    if (/barcode/.test(field)) return fc.constantFrom("0", "0012345");
    if (/_lines$/.test(field)) return fc.constantFrom(["Free coffee"], []);
    if (field === "after")
      return fc.constantFrom(
        "2026-01-01 00:00:00 2026-01-01 00:00:01 fg1",
        "2026-01-01 00:00:01 2026-01-01 00:00:01 x",
      );
    if (field === "rank_on") return fc.constantFrom("run", "hit", "double", "triple");
    if (field === "query") {
      const typos = fc.constantFrom("lovelcae", "Ada Lovlace", "coffe blue ucp", "strete adda lovealce", "main sreet");
      return fc.oneof(typos, fc.constantFrom("Main", "Ada L", ...Object.values(HOSTILE_QUERIES)), hostileText);
    }
    if (field === "filter") return fc.constantFrom("stores", "customers,campaigns", "stores, customers", "");
    return fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("Main", "Blue Cup coffee", "Ada L", "main st") },
      hostileText,
    );
  };
}

export function programLines(): FeedLine[] {
  const [mine = "", other = ""] = IDS.account;
  const owner = (index: number, count: number) => (index < count - 1 ? mine : other);
  const owned = <Made>(ids: readonly string[], make: (accountId: string, fields: { id: string }) => Made) =>
    ids.map((id, index) => make(owner(index, ids.length), { id }));
  const [store = "", second = ""] = IDS.store;
  const [campaign = ""] = IDS.campaign;
  const [group = ""] = IDS.message_group;
  const [contest = ""] = IDS.eip_campaign;
  return [
    ...IDS.account.slice(0, 2).map((id) => seed.account({ id })),
    ...owned(IDS.store, seed.store),
    ...owned(IDS.campaign, seed.campaign),
    ...CALLERS.map((id) => seed.customer({ id })),
    ...IDS.coupon.map((id, index) => seed.coupon(mine, { id, kind: ["store", "mfg", "digital", "store"][index] })),
    ...owned(IDS.employee, seed.employee),
    ...owned(IDS.eip_campaign, seed.eipCampaign),
    ...IDS.employee.slice(0, 3).map((id) => seed.play(contest, store, id, { runs: "1.50", hits: 2 })),
    ...IDS.message_group.map((id, index) => seed.group(CALLERS.slice(0, 3 + index), { id })),
    seed.message(group, CALLERS[1], { sent_at: "2026-01-01 00:00:00" }),
    seed.messageState(group, CALLERS[0], { read_at: "2026-02-01 00:00:00" }),
    seed.friendship(CALLERS[0], CALLERS[1]),
    seed.block(CALLERS[2], CALLERS[3]),
    seed.registration(campaign, CALLERS[0]),
    ...CALLERS.slice(0, 50).flatMap((id, index) => [
      seed.membership(index % 2 === 0 ? store : second, id, { referrer_id: CALLERS[index - 2] ?? null }),
      seed.customerCoupon(id, IDS.coupon[index % 2], store),
      seed.earning(index % 2 === 0 ? store : second, id, (index % 5) + 1, "1.00"),
      seed.entry(id, store, "5.00", { campaign_id: campaign }),
    ]),
  ];
}
