import { accounts, type DemoLine } from "./chains.ts";
import { visits } from "./customers.ts";
import { Random } from "./random.ts";

const FAR_AHEAD = "2099-12-31";
const LONG_AGO = "2024-06-30";
const CREATED_AT = "2026-01-15 09:00:00";

/** Six coupons a chain: every kind and type, with each sort of end. */
export function coupons(): DemoLine[] {
  return accounts().flatMap(({ id: accountId, company }, index) => {
    const coupon = (id: string, kind: string, name: string, fields: Record<string, unknown>) => ({
      record: "coupon",
      id: `q${accountId}-${id}`,
      account_id: accountId,
      kind,
      name,
      header_lines: [company, "Member offer"],
      text_lines: ["One per visit", "Not valid with other offers"],
      created_at: CREATED_AT,
      ...fields,
    });
    const ends = (date: string) => ({ can_expire: 1, expiration_type: "Static_Date", expiration_date: date });
    const barcode = (number: number) => String(index * 10 + number).padStart(12, "0");
    return [
      coupon("welcome", "store", "Five off", { type: "Dollar_Off", value: "5.00", coupon_barcode: barcode(1) }),
      coupon("pastry", "store", "Free pastry", {
        type: "Free_Item",
        value: "0.00",
        campaign_id: `k${accountId}-weekend`,
        coupon_barcode: barcode(2),
        ...ends(FAR_AHEAD),
      }),
      coupon("past", "store", "Last summer's treat", { type: "Free_Item", value: "0.00", ...ends(LONG_AGO) }),
      coupon("brand", "mfg", "One off oat milk", {
        type: "Dollar_Off",
        value: "1.00",
        filter_items: "oat milk",
        coupon_barcode: barcode(3),
        once_per_sale: 1,
        ...ends(FAR_AHEAD),
      }),
      coupon("digital", "digital", "Tenth drink free", {
        type: "Free_Item",
        value: "0.00",
        coupon_barcode: barcode(4),
        can_combine_with_other: 1,
      }),
      coupon("flash", "digital", "Ten per cent off", {
        type: "Percent_Off",
        value: "10.00",
        coupon_barcode: barcode(5),
        is_custom: 1,
        ...ends(FAR_AHEAD),
      }),
    ];
  });
}

// What becomes of a coupon once it is issued: most can be used, some no longer.
const LIVES = [
  { creation_method: "Signup Bonus" },
  { creation_method: "TriggeredSale", total_count: 3, usage_count: 1, expected_end_date: "2099-06-30" },
  { creation_method: "Birthday Coupon", expected_end_date: "2098-03-01 12:00:00" },
  { creation_method: "TriggeredSale", usage_count: 1 },
  { creation_method: "TriggeredSale", expected_end_date: "2025-01-31" },
  { creation_method: "Signup Bonus", deleted_at: "2026-02-01 08:00:00" },
];
const ISSUED = ["welcome", "pastry", "brand", "past"];

/** Coupons in customers' hands: the first customer has one of every sort. */
export function customerCoupons(): DemoLine[] {
  const random = new Random("coupons");
  return visits().flatMap(({ customerId, storeId, accountId }, visit) => {
    const lives = visit === 0 ? LIVES : [random.pick(LIVES)];
    return lives.flatMap((life, number) =>
      ISSUED.filter(() => visit === 0 || random.next() < 0.4).map((coupon) => ({
        record: "customer_coupon",
        id: `cc${visit}-${number}-${coupon}`,
        customer_id: customerId,
        campaign_coupon_id: `q${accountId}-${coupon}`,
        store_id: storeId,
        created_at: `2026-02-${String(10 + number)} 12:00:00`,
        ...life,
      })),
    );
  });
}
