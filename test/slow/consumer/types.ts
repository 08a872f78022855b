import type * as client from "loyalty-edge/client";
import { createClient } from "loyalty-edge/client";
import type * as till from "loyalty-edge/till";
import { createTill } from "loyalty-edge/till";

// The compiler checks the types of the packed client in this file. Nothing runs the file.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if both types are the same. `any` is the same as `any` only. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

const app: client.Client = createClient({ url: "https://loyalty.example", token: async () => "t" });
type EntryOf<Entries> = Entries extends AsyncGenerator<infer Entry, void, undefined> ? Entry : never;

same<client.ClientOptions["token"], string | (() => string | Promise<string>)>();

same<Awaited<ReturnType<client.Client["messages"]>>, client.PagedResult<client.MessageGroup[]>>();
same<Awaited<ReturnType<client.Client["nearbyCampaigns"]>>, client.Result<client.NearbyCampaign[]>>();
same<client.Result<string>["httpStatus" | "requestId"], number | string>();
same<client.LoyaltyError["failure"], client.FailedResult | null>();
same<client.FailedResult["messages"], client.Failure["messages"]>();
same<client.LoyaltyError["since"], client.Since | undefined>();
same<client.Since, string | { group_id: string; last_message_time: string }>();

same<ReturnType<client.Client["newMessages"]>, AsyncGenerator<client.MessageGroup, void, undefined>>();
same<ReturnType<client.Client["changes"]>, AsyncGenerator<client.Changed, void, undefined>>();
same<client.Changed, { what: client.Change[] }>();
same<client.Change, "messages" | "coupons" | "balance">();

type Detailed = client.DetailedCouponRecord[];
const simple = await app.coupons({ search: "coffee" });
if (simple.status) same<typeof simple.items, client.CouponRecord[]>();
else same<typeof simple, client.FailedResult>();
const detailed = await app.coupons({ includemfg: true });
if (detailed.status) same<typeof detailed.items, { stores: Detailed; mfg: Detailed }>();
const simpleOrDetailed = await app.coupons({ includemfg: Math.random() < 0.5 });
if (simpleOrDetailed.status && !Array.isArray(simpleOrDetailed.items))
  same<typeof simpleOrDetailed.items.stores, Detailed>();

const stores = await app.fullSearch({ query: "blue", filter: "stores" });
if (stores.status) {
  same<keyof typeof stores.items, "stores">();
  same<typeof stores.meant, Record<string, string[]> | undefined>();
}
type Found = { stores: client.SearchStore[]; customers: client.SearchCustomer[]; campaigns: client.SearchCampaign[] };
const twoLists = await app.fullSearch({ query: "blue", filter: ["customers", "campaigns"] });
if (twoLists.status) same<typeof twoLists.items, Pick<Found, "customers" | "campaigns">>();
const allLists = await app.fullSearch({ query: "blue", typos: false });
if (allLists.status) same<typeof allLists.items, Pick<Found, keyof Found>>();

const team = await app.teamWithLevel("s", { per_page: 20 });
if (team.status && team.next !== null)
  same<Awaited<ReturnType<typeof team.next>>, client.PagedResult<client.TeamMember[]>>();
const board = await app.leaderboard({ location_id: "s" });
if (board.status) same<typeof board.age, number>();

const entries = await app.entries();
if (entries.status)
  for (const entry of entries.items)
    if (entry.brought_forward) same<typeof entry.store, null>();
    else same<typeof entry.store.name, string>();

const everyCoupon = app.coupons.all();
same<EntryOf<typeof everyCoupon>, client.CouponRecord>();
same<EntryOf<ReturnType<client.Client["messages"]["all"]>>, client.MessageGroup>();
for await (const coupon of app.myCoupons.all({ includemfg: false })) {
  same<(typeof coupon)["kind"], "store" | "mfg" | "digital">();
  if (coupon.kind === "digital") same<(typeof coupon)["coupon"], client.DigitalCoupon["coupon"]>();
  else same<(typeof coupon)["expected_end_date"], client.MyCouponRecord["expected_end_date"]>();
}
same<ReturnType<typeof client.toDate>, Date>();

app.newMessages({ since: { group_id: "g", last_message_time: "2026-11-20 09:30:00" }, everyMs: 1_000 });
app.changes({ signal: AbortSignal.timeout(1_000) });
createClient({ url: "https://loyalty.example", token: "t", WebSocket });
createClient({ url: "https://loyalty.example", token: "t", WebSocket: null });
await app.messages();
await app.messages({ page: 2 }, { signal: AbortSignal.timeout(1_000) });

const desk: till.Till = createTill({ url: "https://loyalty.example", token: "t", notes: new Map<string, till.Act>() });
const use = { customer_coupon_id: "cc1", store_id: "s1" };
const redeemed = await desk.redeem(use, { repeatForMs: 1_000, takeBack: false });
if (redeemed.status) same<typeof redeemed.items, till.Redeemed>();
else same<typeof redeemed.checks, till.Check[] | undefined>();
same<Awaited<ReturnType<till.Till["customerOf"]>>, till.Result<till.CardHolder[]>>();
same<till.LoyaltyError["act"], till.Act | undefined>();

// @ts-expect-error The seconds are missing.
await desk.hold(use);
// @ts-expect-error A reversal is not taken back.
await desk.reverse({ redemption_id: "r1", store_id: "s1" }, { takeBack: false });
// @ts-expect-error A parameter is missing.
await app.nearbyCampaigns({ latitude: 1, longitude: 2 });
// @ts-expect-error A parameter has another type.
await app.nearbyCampaigns({ latitude: true, longitude: 2, single_account_id: "1" });
// @ts-expect-error There is no such parameter.
await app.coupons({ includemg: true });
// @ts-expect-error There is no such list.
await app.fullSearch({ query: "blue", filter: "shops" });
// @ts-expect-error The filter leaves out customers.
if (stores.status) stores.items.customers;
// @ts-expect-error This list has no pages.
(await app.nearbyCampaigns({ latitude: 1, longitude: 2, single_account_id: "1" })).next;
// @ts-expect-error A failure has no items.
(await app.messages()).items;
// @ts-expect-error There is no such call.
app.feed;
