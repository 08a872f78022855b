import {
  type Change,
  type Changed,
  type Client,
  type ClientOptions,
  type CouponRecord,
  createClient,
  type DetailedCouponRecord,
  type DigitalCoupon,
  type FailedResult,
  type Failure,
  type LoyaltyError,
  type MessageGroup,
  type MyCouponRecord,
  type NearbyCampaign,
  type PagedResult,
  type Result,
  type SearchCampaign,
  type SearchCustomer,
  type SearchStore,
  type Since,
  type TeamMember,
  type toDate,
} from "loyalty-edge/client";

// The types of the client that test/client/calls.types.ts cannot compare with a route. The compiler checks this file.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if both types are the same. `any` is the same as `any` only. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

const client: Client = createClient({ url: "https://loyalty.example", token: async () => "t" });
type ItemsOf<Call extends Promise<unknown>> = Extract<Awaited<Call>, { status: true; items: unknown }>["items"];
type EntryOf<Entries> = Entries extends AsyncGenerator<infer Entry, void, undefined> ? Entry : never;
type Code = "NO_ITEMS" | "VALIDATION_EXCEPTION" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED";
type Body = "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE";
type Trouble = "UPGRADE_REQUIRED" | "TOO_MANY_REQUESTS" | "UNAVAILABLE" | "INTERNAL_ERROR" | "DATABASE_FULL";

same<
  keyof Client,
  | "changes"
  | "coupons"
  | "entries"
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
same<Awaited<ReturnType<Client["messages"]>>, PagedResult<MessageGroup[]>>();
same<Awaited<ReturnType<Client["nearbyCampaigns"]>>, Result<NearbyCampaign[]>>();
same<Result<string>["httpStatus" | "requestId"], number | string>();
same<LoyaltyError["failure"], FailedResult | null>();
same<FailedResult["messages"], Failure["messages"]>();
same<LoyaltyError["since"], Since | undefined>();
same<Since, string | { group_id: string; last_message_time: string }>();

same<ReturnType<Client["newMessages"]>, AsyncGenerator<MessageGroup, void, undefined>>();
same<ReturnType<Client["changes"]>, AsyncGenerator<Changed, void, undefined>>();
same<Changed, { what: Change[] }>();
same<Change, "messages" | "coupons" | "balance">();

same<ItemsOf<ReturnType<typeof simple>>, CouponRecord[]>();
same<ItemsOf<ReturnType<typeof detailed>>, { stores: DetailedCouponRecord[]; mfg: DetailedCouponRecord[] }>();
const simple = () => client.coupons({ search: "coffee" });
const detailed = () => client.coupons({ includemfg: true });
const coupons = await client.coupons({ includemfg: true });
if (coupons.status) same<(typeof coupons.items.mfg)[number]["campaign_coupon"]["value"], string>();
else same<typeof coupons, FailedResult>();
const either = await client.coupons({ includemfg: Math.random() < 0.5 });
if (either.status && !Array.isArray(either.items)) same<(typeof either.items.stores)[number], DetailedCouponRecord>();

const stores = await client.fullSearch({ query: "blue", filter: "stores" });
if (stores.status) {
  same<keyof typeof stores.items, "stores">();
  same<typeof stores.meant, Record<string, string[]> | undefined>();
}
const two = await client.fullSearch({ query: "blue", filter: ["customers", "campaigns"] });
if (two.status) same<typeof two.items, Pick<Found, "customers" | "campaigns">>();
const everything = await client.fullSearch({ query: "blue", typos: false });
if (everything.status) same<typeof everything.items, Pick<Found, keyof Found>>();
type Found = { stores: SearchStore[]; customers: SearchCustomer[]; campaigns: SearchCampaign[] };

const team = await client.teamWithLevel("s", { per_page: 20 });
if (team.status && team.next !== null) same<ReturnType<typeof team.next>, Promise<PagedResult<TeamMember[]>>>();
const board = await client.leaderboard({ location_id: "s" });
if (board.status) same<typeof board.age, number>();

const everyCoupon = client.coupons.all();
same<EntryOf<typeof everyCoupon>, CouponRecord>();
same<EntryOf<ReturnType<Client["messages"]["all"]>>, MessageGroup>();
for await (const coupon of client.myCoupons.all({ includemfg: false })) {
  same<(typeof coupon)["kind"], "store" | "mfg" | "digital">();
  if (coupon.kind === "digital") same<(typeof coupon)["coupon"], DigitalCoupon["coupon"]>();
  else same<(typeof coupon)["expected_end_date"], MyCouponRecord["expected_end_date"]>();
}
same<ReturnType<typeof toDate>, Date>();

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
await client.coupons({ includemg: true });
// @ts-expect-error There is no such list.
await client.fullSearch({ query: "blue", filter: "shops" });
// @ts-expect-error Nobody asked for customers.
if (stores.status) stores.items.customers;
// @ts-expect-error A list without pages has no next one.
(await client.nearbyCampaigns({ latitude: 1, longitude: 2, single_account_id: "1" })).next;
// @ts-expect-error A failure has no items.
(await client.messages()).items;
// @ts-expect-error There is no such call.
client.feed;
