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

// The client declares its own types, so that its package has no dependency. Here tsc compares them with the types of
// the routes and their schemas. Nothing runs this file.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if both types are the same: otherwise it needs an argument of type never. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

type Client = client.Client;
type Routes = ReturnType<typeof hc<App>>["api"]["v1"]["customer"];
type Flat<T> = { [K in keyof T]: T[K] };

/** The items of a call's successful result. */
type CallItems<Call extends (...parameters: never[]) => unknown> = Flat<
  Extract<Awaited<ReturnType<Call>>, { status: true }> extends { items: infer Items } ? Items : never
>;
/** The items of a route's successful answer. */
type RouteItems<Route> = Flat<InferResponseType<Route> extends { items: infer Items } ? Items : never>;

same<CallItems<Client["me"]>, RouteItems<Routes["me"]["$get"]>>();
same<CallItems<Client["nearbyCampaigns"]>, RouteItems<Routes["campaigns"]["near-by-popular-campaigns"]["$post"]>>();
same<CallItems<Client["coupons"]>, RouteItems<Routes["coupons"]["$get"]>>();
same<CallItems<Client["myCoupons"]>, RouteItems<Routes["my-coupons"]["$get"]>>();
same<CallItems<Client["messages"]>, RouteItems<Routes["messages"]["$get"]>>();
same<CallItems<Client["teamWithLevel"]>, RouteItems<Routes["stores"][":id"]["team-with-level"]["$get"]>>();
same<CallItems<Client["leaderboard"]>, RouteItems<Routes["gamification"]["leaderboard"]["$post"]>>();

// A search with campaigns answers with `items`. Any other has its lists beside `status`: the client moves them into
// `items`, and adds an empty list of campaigns.
type SearchAnswer = InferResponseType<Routes["full-search"]["$post"]>;
same<CallItems<Client["fullSearch"]>, Extract<SearchAnswer, { items: unknown }>["items"]>();
same<keyof Exclude<SearchAnswer, { items: unknown }>, "status" | "forgiven" | "meant" | "stores" | "customers">();

/** The same parameters, each of them required and not null. */
type Complete<Parameters> = { [K in keyof Parameters]-?: NonNullable<Parameters[K]> };
type SchemaOutput<Schema extends z.ZodType> = Complete<z.output<Schema>>;
/** The names of required parameters. */
type RequiredNames<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type RequiredByRoute<Route> =
  InferRequestType<Route> extends { json: infer Body }
    ? { [K in keyof Body]-?: undefined extends Body[K] ? never : K }[keyof Body]
    : never;

same<Complete<client.NearbyBody>, SchemaOutput<typeof NearbyCampaignsBody>>();
same<RequiredNames<client.NearbyBody>, RequiredByRoute<Routes["campaigns"]["near-by-popular-campaigns"]["$post"]>>();
same<Complete<client.CouponsQuery>, Omit<SchemaOutput<typeof CouponsQuery>, "after">>();
same<
  Complete<Omit<client.MyCouponsQuery, "storeId">>,
  Omit<SchemaOutput<typeof MyCouponsQuery>, "storeId" | "after">
>();
same<Exclude<client.MyCouponsQuery["storeId"], string | undefined>, readonly string[]>();
same<Omit<Complete<client.SearchBody>, "filter">, Omit<SchemaOutput<typeof FullSearchBody>, "filter">>();
same<Extract<client.SearchBody["filter"], string>, SearchList>();
same<RequiredNames<client.SearchBody>, RequiredByRoute<Routes["full-search"]["$post"]>>();
same<Complete<client.MessagesQuery>, Omit<SchemaOutput<typeof MessagesQuery>, "after">>();
same<Complete<client.TeamQuery>, Omit<SchemaOutput<typeof TeamQuery>, "after">>();
same<Omit<Complete<client.LeaderboardBody>, "rank_on">, Omit<SchemaOutput<typeof LeaderboardParameters>, "rank_on">>();
same<Complete<client.LeaderboardBody>["rank_on"], Measure>();
same<RequiredNames<client.LeaderboardBody>, RequiredByRoute<Routes["gamification"]["leaderboard"]["$post"]>>();
