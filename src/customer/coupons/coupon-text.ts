import * as z from "zod";

/** The fields of a coupon in every list, stored as JSON (src/records/coupon.ts). */
export const CouponText = z.object({
  account_id: z.string().describe("The merchant account whose coupon it is."),
  name: z.string().describe("What the coupon is called."),
  type: z.string().describe("What it gives, such as `Dollar_Off` or `Free_Item`."),
  value: z.string().describe("What it is worth, a decimal with two fraction digits."),
  header_lines: z.array(z.string()).describe("The lines at its head."),
  text_lines: z.array(z.string()).describe("The lines of its text."),
  can_expire: z.int().describe("1 when `expiration_date` counts."),
  expiration_type: z.string().describe("How it expires, such as `Never_Expires` or `Static_Date`."),
  expiration: z.string().describe("As the merchant gave it."),
  once_per_sale: z.int().describe("1 when it counts once a sale."),
  expiration_date: z.string().nullable().describe("The last second in which it is valid, in UTC, or null."),
});
