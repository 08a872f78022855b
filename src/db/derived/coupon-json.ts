import type { Derived } from "./derived.ts";

/** The parts of an answer that a coupon is for every customer, as JSON text that goes out as it is. */
export const couponJson: Derived = {
  name: "JSON of coupons",
  triggers: ["coupons_insert_json", "coupons_update_json"],
  over: "coupons",
  table: "coupon_json",
  storedAs: "rows",
  absent: "a difference",
  key: ["key"],
  values: ["text", "record", "detail"],
  expected: (range) => `SELECT key, text, record, detail FROM expected_coupon_json WHERE key ${range}`,
  stored: (range) => `SELECT key, text, record, detail FROM coupon_json WHERE key ${range}`,
  what: [["coupons", "key"]],
};
