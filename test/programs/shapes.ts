/** For each kind of record: how many records there are, and the weight of the kind among the changes. */
export type Shape = Readonly<Record<string, readonly [count: number, weight: number]>>;

export const MIXED: Shape = {
  account: [3, 2],
  store: [4, 3],
  campaign: [4, 3],
  customer: [5, 4],
  membership: [12, 4],
  registration: [6, 1],
  friendship: [5, 3],
  block: [3, 2],
  coupon: [6, 4],
  customer_coupon: [9, 5],
  redemption: [8, 4],
  message_group: [3, 5],
  message_state: [3, 3],
  employee: [3, 1],
  eip_campaign: [3, 1],
  token_earning: [12, 3],
  balance_entry: [20, 6],
  play: [14, 4],
  message: [8, 9],
};

/**
 * For the fuzz test. It has many customers, because each may ask only 600 times a minute. It has many messages, because
 * restored messages have rules of their own.
 */
export const LARGE: Shape = {
  ...MIXED,
  store: [12, 3],
  campaign: [9, 3],
  customer: [400, 4],
  membership: [150, 4],
  customer_coupon: [60, 5],
  message_group: [12, 5],
  message: [20, 20],
};

/** Mostly events. Accounts never change: a deleted account would hide most of the program. */
export const EVENTFUL: Shape = {
  ...MIXED,
  account: [3, 0],
  customer: [7, 2],
  customer_coupon: [9, 8],
  message_group: [6, 4],
  balance_entry: [20, 15],
  play: [14, 15],
  message: [20, 40],
};

/** A mixed program, and for each endpoint a program with many of the records that it shows. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  mixed: MIXED,
  "near-by-popular-campaigns": { ...MIXED, store: [22, 6], campaign: [8, 6], balance_entry: [90, 20] },
  messages: {
    ...MIXED,
    customer: [6, 3],
    message_group: [6, 8],
    message: [24, 30],
    message_state: [8, 8],
    block: [6, 4],
    friendship: [8, 3],
  },
  "team-with-level": {
    ...MIXED,
    store: [3, 2],
    customer: [12, 8],
    membership: [30, 14],
    token_earning: [20, 8],
    balance_entry: [20, 4],
    message: [0, 0],
  },
  "my-coupons": { ...MIXED, coupon: [14, 8], customer_coupon: [40, 14], redemption: [30, 14], message: [0, 0] },
  leaderboard: { ...MIXED, employee: [125, 10], play: [500, 40], store: [3, 1], message: [0, 0] },
  "full-search": {
    ...MIXED,
    account: [5, 3],
    store: [30, 12],
    campaign: [25, 8],
    customer: [40, 14],
    friendship: [40, 4],
    block: [20, 3],
    membership: [40, 4],
    message: [0, 0],
  },
};

/** How much of a program's changes is bad: one value in this many, and the share of lines that delete. */
export interface Chances {
  badOneIn: number;
  deleteShare: number;
  /** Whether only the last record of each kind comes and goes. Hardly any line refers to it, so most lines stay good. */
  keepsOthers?: boolean;
}
export const USUAL_CHANCES: Chances = { badOneIn: 60, deleteShare: 0.25 };
export const FEW_FAULTS: Chances = { badOneIn: 600, deleteShare: 0.1 };
