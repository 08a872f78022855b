import type { Entry } from "./entries.ts";
import type { CallOptions, LoyaltyError, PagedResult, Result, Since } from "./result.ts";
import type {
  BalanceEntry,
  Block,
  CouponRecord,
  DetailedCouponRecord,
  LeaderboardItem,
  Me,
  MessageGroup,
  MyCouponItems,
  NearbyCampaign,
  SearchItems,
  SearchNotes,
  TeamMember,
} from "./shapes.ts";
import type { Change } from "./socket.ts";

/**
 * A client of the service for one customer. A call resolves with the service's answer, also if that is a failure. If no
 * answer comes, it throws a LoyaltyError with the cause. The `all` of a list gives its entries one by one, page after page,
 * and throws a LoyaltyError for a failure too.
 */
export interface Client {
  /** The customer, and their balance at each account; `next()` gives accounts beyond 1,000. */
  me: (call?: CallOptions) => Promise<PagedResult<Me>>;

  /** The bookings that make up the customer's balances, newest first. */
  entries: Paged<[query?: EntriesQuery, call?: CallOptions], BalanceEntry[]>;

  /** Popular campaigns near a position. */
  nearbyCampaigns: (json: NearbyBody, call?: CallOptions) => Promise<Result<NearbyCampaign[]>>;

  /** The coupons that the customer holds, at most 1,000; with `includemfg` also manufacturer coupons, and all in detail. */
  coupons: {
    <Detailed extends boolean = false>(
      query?: CouponsQuery<Detailed>,
      call?: CallOptions,
    ): Promise<PagedResult<CouponItems<Detailed>>>;
    all: <Detailed extends boolean = false>(
      query?: CouponsQuery<Detailed>,
      call?: CallOptions,
    ) => AsyncGenerator<Entry<CouponItems<Detailed>>, void, undefined>;
  };

  /** Store, manufacturer and digital coupons, as one list in pages. */
  myCoupons: Paged<[query?: MyCouponsQuery, call?: CallOptions], MyCouponItems>;

  /**
   * Stores, customers and campaigns by words; `filter` names some of these lists. If all lists would be empty, the words are
   * searched with one typo each, unless `typos` is false.
   */
  fullSearch: <List extends keyof SearchItems = keyof SearchItems>(
    json: SearchBody<List>,
    call?: CallOptions,
  ) => Promise<Result<Pick<SearchItems, List>, SearchNotes>>;

  /** The message groups, newest message first; and what the customer says of a group, or of another customer. */
  messages: Paged<[query?: MessagesQuery, call?: CallOptions], MessageGroup[]> & MessageWrites;

  /**
   * Changes, as the service reports them. The first item, and the first after each reconnection, lists everything. The
   * iteration reconnects until its signal ends it: within 70 seconds after an outage, and within 5 if the app calls `wake`.
   * If the service refuses the token, it throws a LoyaltyError.
   */
  changes: (options?: ChangesOptions) => AsyncGenerator<Changed, void, undefined>;

  /**
   * Message groups as they get new messages, from now on or from `since`, oldest first. The signal ends the iteration. To
   * continue after a stop or a crash, store the last group that you dealt with, and give it as `since`: every group with
   * news comes, none twice, none lost. If the service is down, the iteration calls `onError` and waits. It continues within
   * 60 seconds after an outage, and within 5 if the app calls `wake`; or later if the service asks for a longer wait. If the
   * token is refused, it throws a LoyaltyError whose `since` is the position to continue from.
   */
  newMessages: (options?: PollOptions) => AsyncGenerator<MessageGroup, void, undefined>;

  /** The team of a store. */
  teamWithLevel: Paged<[storeId: string, query?: TeamQuery, call?: CallOptions], TeamMember[]>;

  /** The leaderboard of a store, by runs unless `rank_on` is given; `age` is the board's age in seconds. */
  leaderboard: (json: LeaderboardBody, call?: CallOptions) => Promise<Result<LeaderboardItem[], { age: number }>>;

  /**
   * Ends all waits of the iterations: call it when the app is in the foreground again. Where the runtime has an event
   * `online`, it wakes the client too.
   */
  wake: () => void;
}

/**
 * What a customer says of a group, or of another customer. The next call of `messages` shows it, and the customer's other
 * devices hear of it. Each call is safe to repeat.
 */
export interface MessageWrites {
  /** Marks a group as read up to the message that it shows: the group as a list has it. A later message stays unread. */
  markRead: (
    group: Pick<MessageGroup, "group_id" | "last_message_time">,
    call?: CallOptions,
  ) => Promise<Result<MessageGroup>>;
  /** Wants no notifications of a group. */
  mute: (groupId: string, call?: CallOptions) => Promise<Result<MessageGroup>>;
  unmute: (groupId: string, call?: CallOptions) => Promise<Result<MessageGroup>>;
  /** Hides the messages and the name of another customer, and the caller from the other's searches. */
  block: (customerId: string, call?: CallOptions) => Promise<Result<Block>>;
  unblock: (customerId: string, call?: CallOptions) => Promise<Result<Block>>;
}

/** A list in pages: a call gives one page, `all` gives every entry from that page on. */
export interface Paged<Parameters extends unknown[], Items> {
  (...parameters: Parameters): Promise<PagedResult<Items>>;
  all: (...parameters: Parameters) => AsyncGenerator<Entry<Items>, void, undefined>;
}

export interface Page {
  page?: number | undefined;
  /** 1 to 100; 50 if left out, and 100 for `all`. */
  per_page?: number | undefined;
}

export interface EntriesQuery {
  account_id?: string | undefined;
  /** 1 to 100; 50 if left out, and 100 for `all`. */
  limit?: number | undefined;
}

export interface NearbyBody {
  latitude: number;
  longitude: number;
  single_account_id: string;
  count?: number | undefined;
}

export interface CouponsQuery<Detailed extends boolean = boolean> {
  includemfg?: Detailed | undefined;
  include_images?: boolean | undefined;
  search?: string | undefined;
  type?: string | undefined;
  accountId?: string | undefined;
}

/** The detailed variant of the coupon list, or the simple one. */
export type CouponItems<Detailed extends boolean> = Detailed extends true
  ? { stores: DetailedCouponRecord[]; mfg: DetailedCouponRecord[] }
  : CouponRecord[];

export interface MyCouponsQuery extends Page {
  digitalonly?: boolean | undefined;
  search?: string | undefined;
  type?: "mfg" | "store" | undefined;
  storeId?: string | readonly string[] | undefined;
  includemfg?: boolean | undefined;
}

export interface SearchBody<List extends keyof SearchItems = keyof SearchItems> {
  query: string;
  filter?: List | readonly List[] | undefined;
  typos?: boolean | undefined;
}

export interface MessagesQuery extends Page {
  /** Only groups with a message after this time: send the greatest `last_message_time` that you have received. */
  check_time?: string | undefined;
}

export interface TeamQuery extends Page {
  level_no?: number | undefined;
  team_member_id?: string | undefined;
}

export interface LeaderboardBody {
  location_id: string;
  eip_campaign_id?: string | undefined;
  rank_on?: "double" | "hit" | "run" | "triple" | undefined;
}

export interface ChangesOptions {
  /** Ends the iteration, and closes the connection. */
  signal?: AbortSignal | undefined;
}

export interface Changed {
  /** What to ask for again: one or more. */
  what: Change[];
}

export interface PollOptions extends ChangesOptions {
  /**
   * Where to begin: the last group that you dealt with, whose `group_id` and `last_message_time` are enough; or a time
   * of the service, such as the newest `last_message_time` of a list that you have; `""` for every group. Left out:
   * now.
   */
  since?: Since | undefined;
  /**
   * The wait between two polls without a socket: a random time between this and twice this; 5,000 if left out. With a
   * socket, polls come once a minute, or every `everyMs` if that is longer.
   */
  everyMs?: number;
  /** Is called with the error of each failed poll, before the poll is tried again. */
  onError?: ((error: LoyaltyError) => void) | undefined;
}
