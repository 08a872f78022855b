import {
  type Change,
  type Changed,
  type Client,
  type ClientOptions,
  createClient,
  type Failure,
  type LoyaltyError,
  type MessageGroup,
  type NearbyCampaign,
  type Result,
  type Since,
} from "loyalty-edge/client";

// What whoever uses the package relies on; it is checked, and never run.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Takes no argument where both types are the same, and else one that there is not. `any` is the same as itself only. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

const client: Client = createClient({ url: "https://loyalty.example", token: async () => "t" });
type Takes<Call extends keyof Client> = NonNullable<Parameters<Client[Call]>[0]>;
type Items<Call extends Exclude<keyof Client, "changes" | "newMessages">> = Extract<
  Awaited<ReturnType<Client[Call]>>,
  { status: true }
>["items"];
type Code = "NO_ITEMS" | "VALIDATION_EXCEPTION" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED";
type Body = "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE";
type Trouble = "UPGRADE_REQUIRED" | "TOO_MANY_REQUESTS" | "UNAVAILABLE" | "INTERNAL_ERROR" | "DATABASE_FULL";

same<
  keyof Client,
  | "changes"
  | "coupons"
  | "fullSearch"
  | "leaderboard"
  | "me"
  | "messages"
  | "myCoupons"
  | "nearbyCampaigns"
  | "newMessages"
  | "teamWithLevel"
>();
same<ClientOptions["token"], string | (() => string | Promise<string>)>();

same<Failure["status"], false>();
same<Failure["errorCode"], Code | Body | Trouble | undefined>();
same<Awaited<ReturnType<Client["messages"]>>, Result<MessageGroup[]>>();
same<Result<string>, { status: true; items: string } | Failure>();
same<LoyaltyError["failure"], Failure | null>();
same<LoyaltyError["since"], Since | undefined>();
same<Since, string | { group_id: string; last_message_time: string }>();

same<Items<"nearbyCampaigns">, NearbyCampaign[]>();
same<
  NearbyCampaign,
  { name: string; id: string; campaign_description: string; campaign_image: string; distance: number }
>();
same<Items<"messages">[number]["group_members"][number]["friend_status"], -1 | 0 | 1>();
same<MessageGroup["group_image"], string | null>();
same<ReturnType<Client["newMessages"]>, AsyncGenerator<MessageGroup, void, undefined>>();
same<ReturnType<Client["changes"]>, AsyncGenerator<Changed, void, undefined>>();
same<Changed, { what: Change[] }>();
same<Change, "messages" | "coupons" | "balance">();
same<Items<"teamWithLevel">[number]["levels"][number]["total_tokens_earned"], number>();
same<Items<"myCoupons">["store"][number]["expected_end_date"], string | null>();
same<Items<"myCoupons">["digital"][number]["coupon"]["coupon_barcode"], string>();
same<Items<"myCoupons">["mfg"][number]["account"]["zip"], string | number | boolean | null>();
same<Items<"fullSearch">["customers"][number]["date_of_birth"], string | null>();
same<Items<"me">["balances"][number]["balance"], number>();
same<Items<"leaderboard">[number]["total_runs"], string>();
same<Extract<Awaited<ReturnType<Client["fullSearch"]>>, { status: true }>["forgiven"], string[] | undefined>();

const coupons = await client.coupons({ includemfg: "true" });
if (!coupons.status) same<typeof coupons, Failure>();
else if (!Array.isArray(coupons.items)) same<(typeof coupons.items.mfg)[number]["campaign_coupon"]["value"], string>();

same<Takes<"fullSearch">, { query: string; filter?: string | null | undefined; typos?: boolean | undefined }>();
same<Takes<"leaderboard">["rank_on"], "run" | "hit" | "double" | "triple" | undefined>();
same<Takes<"teamWithLevel">, string>();
same<Takes<"myCoupons">["storeId"], string | string[] | undefined>();
same<Takes<"myCoupons">["type"], "store" | "mfg" | undefined>();
client.newMessages({ since: { group_id: "g", last_message_time: "2026-11-20 09:30:00" }, everyMs: 1_000 });
client.changes({ signal: AbortSignal.timeout(1_000) });
createClient({ url: "https://loyalty.example", token: "t", WebSocket });
createClient({ url: "https://loyalty.example", token: "t", WebSocket: null });
await client.messages();
await client.messages({ page: 2 }, { signal: AbortSignal.timeout(1_000) });

// @ts-expect-error A parameter is missing.
await client.nearbyCampaigns({ latitude: 1, longitude: 2 });
// @ts-expect-error A parameter has another type.
await client.nearbyCampaigns({ latitude: true, longitude: 2, single_account_id: "1" });
// @ts-expect-error There is no such parameter.
await client.messages({ since: "2026-11-20 09:30:00" });
// @ts-expect-error There is no such kind.
await client.myCoupons({ type: "digital" });
// @ts-expect-error There is no such measure.
await client.leaderboard({ location_id: "s", rank_on: "home" });
// @ts-expect-error A failure has no items.
(await client.messages()).items;
// @ts-expect-error There is no such call.
client.feed;
