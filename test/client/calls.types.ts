import type { hc, InferRequestType, InferResponseType } from "hono/client";
import type * as z from "zod";
import type { App } from "../../src/app.ts";
import type * as client from "../../src/client/index.ts";
import type { NearbyCampaignsBody } from "../../src/customer/campaigns/routes.ts";
import type { CouponsQuery, MyCouponsQuery } from "../../src/customer/coupons/routes.ts";
import type { Measure } from "../../src/customer/gamification/boards.ts";
import type { LeaderboardParameters } from "../../src/customer/gamification/routes.ts";
import type { MessagesQuery } from "../../src/customer/messages/routes.ts";
import type { FullSearchBody, SearchList } from "../../src/customer/search/schema.ts";
import type { TeamQuery } from "../../src/customer/stores/routes.ts";

// The client declares the types of each call itself, so that its package has no dependency. This file, which tsc checks and
// nobody runs, compares them with the routes and their schemas.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if both types are the same: otherwise it needs an argument of type never. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

type Client = client.Client;
type Routes = ReturnType<typeof hc<App>>["api"]["v1"]["customer"];
type Flat<T> = { [K in keyof T]: T[K] };

/** What a call gives, and what its route answers. */
type Given<Call extends (...given: never[]) => unknown> = Flat<
  Extract<Awaited<ReturnType<Call>>, { status: true }> extends { items: infer Items } ? Items : never
>;
type Answered<Route> = Flat<InferResponseType<Route> extends { items: infer Items } ? Items : never>;

same<Given<Client["me"]>, Answered<Routes["me"]["$get"]>>();
same<Given<Client["nearbyCampaigns"]>, Answered<Routes["campaigns"]["near-by-popular-campaigns"]["$post"]>>();
same<Given<Client["coupons"]>, Answered<Routes["coupons"]["$get"]>>();
same<Given<Client["myCoupons"]>, Answered<Routes["my-coupons"]["$get"]>>();
same<Given<Client["messages"]>, Answered<Routes["messages"]["$get"]>>();
same<Given<Client["teamWithLevel"]>, Answered<Routes["stores"][":id"]["team-with-level"]["$get"]>>();
same<Given<Client["leaderboard"]>, Answered<Routes["gamification"]["leaderboard"]["$post"]>>();

// Only a search with campaigns has `items`. To the other the client adds an empty list of campaigns.
type Found = InferResponseType<Routes["full-search"]["$post"]>;
same<Given<Client["fullSearch"]>, Extract<Found, { items: unknown }>["items"]>();
same<keyof Exclude<Found, { items: unknown }>, "status" | "forgiven" | "meant" | "stores" | "customers">();
same<client.Forgiven, Pick<Found, "forgiven" | "meant">>();

/** The parameters of a call, as their schema has read them. */
type Taken<Parameters> = { [K in keyof Parameters]-?: NonNullable<Parameters[K]> };
type Read<Schema extends z.ZodType> = Taken<z.output<Schema>>;
/** The names of required parameters. */
type Required<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type RequiredBy<Route> =
  InferRequestType<Route> extends { json: infer Body }
    ? { [K in keyof Body]-?: undefined extends Body[K] ? never : K }[keyof Body]
    : never;

same<Taken<client.NearbyBody>, Read<typeof NearbyCampaignsBody>>();
same<Required<client.NearbyBody>, RequiredBy<Routes["campaigns"]["near-by-popular-campaigns"]["$post"]>>();
same<Taken<client.CouponsQuery>, Omit<Read<typeof CouponsQuery>, "after">>();
same<Taken<Omit<client.MyCouponsQuery, "storeId">>, Omit<Read<typeof MyCouponsQuery>, "storeId" | "after">>();
same<Exclude<client.MyCouponsQuery["storeId"], string | undefined>, readonly string[]>();
same<Omit<Taken<client.SearchBody>, "filter">, Omit<Read<typeof FullSearchBody>, "filter">>();
same<Extract<client.SearchBody["filter"], string>, SearchList>();
same<Required<client.SearchBody>, RequiredBy<Routes["full-search"]["$post"]>>();
same<Taken<client.MessagesQuery>, Omit<Read<typeof MessagesQuery>, "after">>();
same<Taken<client.TeamQuery>, Omit<Read<typeof TeamQuery>, "after">>();
same<Omit<Taken<client.LeaderboardBody>, "rank_on">, Omit<Read<typeof LeaderboardParameters>, "rank_on">>();
same<Taken<client.LeaderboardBody>["rank_on"], Measure>();
same<Required<client.LeaderboardBody>, RequiredBy<Routes["gamification"]["leaderboard"]["$post"]>>();
