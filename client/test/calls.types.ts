import type * as z from "zod";
import type { NearbyBody } from "../../src/customer/campaigns/schema.ts";
import type { CouponsQuery, MyCouponsQuery } from "../../src/customer/coupons/schema.ts";
import type { LeaderboardBody, Measure } from "../../src/customer/gamification/schema.ts";
import type { MessagesQuery } from "../../src/customer/messages/schema.ts";
import type { FullSearchBody, SearchList } from "../../src/customer/search/schema.ts";
import type { TeamQuery } from "../../src/customer/stores/schema.ts";
import type * as client from "../src/client.ts";

// The client declares the types of its parameters, so that its package has no dependency. Here tsc compares them with the
// schemas of the routes. Nothing runs this file.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if both types are the same: otherwise it needs an argument of type never. */
declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;

/** The same parameters, each of them required and not null. */
type Complete<Parameters> = { [K in keyof Parameters]-?: NonNullable<Parameters[K]> };
type SchemaOutput<Schema extends z.ZodType> = Complete<z.output<Schema>>;
/** The names of required parameters. */
type RequiredNames<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type RequiredBySchema<Schema extends z.ZodType> = {
  [K in keyof z.input<Schema>]-?: undefined extends z.input<Schema>[K] ? never : K;
}[keyof z.input<Schema>];

same<Complete<client.NearbyBody>, SchemaOutput<typeof NearbyBody>>();
same<RequiredNames<client.NearbyBody>, RequiredBySchema<typeof NearbyBody>>();
same<Complete<client.CouponsQuery>, Omit<SchemaOutput<typeof CouponsQuery>, "after">>();
same<
  Complete<Omit<client.MyCouponsQuery, "storeId">>,
  Omit<SchemaOutput<typeof MyCouponsQuery>, "storeId" | "after">
>();
same<Exclude<client.MyCouponsQuery["storeId"], string | undefined>, readonly string[]>();
same<Omit<Complete<client.SearchBody>, "filter">, Omit<SchemaOutput<typeof FullSearchBody>, "filter">>();
same<Extract<client.SearchBody["filter"], string>, SearchList>();
same<RequiredNames<client.SearchBody>, RequiredBySchema<typeof FullSearchBody>>();
same<Complete<client.MessagesQuery>, Omit<SchemaOutput<typeof MessagesQuery>, "after">>();
same<Complete<client.TeamQuery>, Omit<SchemaOutput<typeof TeamQuery>, "after">>();
same<Omit<Complete<client.LeaderboardBody>, "rank_on">, Omit<SchemaOutput<typeof LeaderboardBody>, "rank_on">>();
same<Complete<client.LeaderboardBody>["rank_on"], Measure>();
same<RequiredNames<client.LeaderboardBody>, RequiredBySchema<typeof LeaderboardBody>>();
