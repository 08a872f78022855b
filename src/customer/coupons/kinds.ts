/** The kinds of coupon, in the order in which their lists follow each other. */
export const COUPON_KINDS = ["store", "mfg", "digital"] as const;
export type CouponKind = (typeof COUPON_KINDS)[number];

/** The kinds that the parameters of the combined coupon list leave: they combine, so that none may be left. */
export function kindsLeft(query: {
  digitalonly: boolean;
  type?: CouponKind | undefined;
  includemfg: boolean;
}): CouponKind[] {
  return COUPON_KINDS.filter(
    (kind) =>
      (kind === "digital" || !query.digitalonly) &&
      (kind === query.type || query.type === undefined) &&
      (kind !== "mfg" || query.includemfg),
  );
}
