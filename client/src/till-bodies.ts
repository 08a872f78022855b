export interface EntryBody {
  /** 1 to 64 characters; made if left out. */
  id?: string | undefined;
  customer_id: string;
  store_id: string;
  /** A decimal, such as `"12.50"`; negative if points are spent. */
  amount: string;
  campaign_id?: string | undefined;
  description?: string | undefined;
  /** By default the till's time. */
  created_at?: string | undefined;
  /** The least balance afterwards, usually `"0.00"`; only with a negative amount. */
  minimum_balance?: string | undefined;
}

export interface RedemptionBody {
  /** 1 to 64 characters; made if left out. That of a hold takes the hold. */
  id?: string | undefined;
  customer_coupon_id: string;
  store_id: string;
  redeemed_at?: string | undefined;
}

export interface HoldBody {
  /** 1 to 64 characters; made if left out. */
  id?: string | undefined;
  customer_coupon_id: string;
  store_id: string;
  /** 1 to 86,400. */
  seconds: number;
}

export interface ReversalBody {
  /** 1 to 64 characters; made if left out. */
  id?: string | undefined;
  redemption_id: string;
  store_id: string;
}

export type ExplanationQuery = { customer_id: string } & ({ customer_coupon_id: string } | { coupon_id: string });

type Identified<Body> = Omit<Body, "id"> & { id: string };

/** An act with its id. It is plain JSON, so that it can be stored. */
export type Act =
  | { act: "redeem"; body: Identified<RedemptionBody> }
  | { act: "book"; body: Identified<EntryBody> }
  | { act: "hold"; body: Identified<HoldBody> };
