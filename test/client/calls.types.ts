import type { hc, InferRequestType, InferResponseType } from "hono/client";
import type { App } from "../../src/app.ts";
import type { Client } from "../../src/client/index.ts";
import type { BesideOf, ItemsOf, Result } from "../../src/client/result.ts";

// The client says in full what each call takes and answers, so that its package needs no other. Here it is held to the
// routes: this is checked by tsc, and never run.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = { [K in keyof T]: T[K] };
type Routes = ReturnType<typeof hc<App>>["api"]["v1"]["customer"];
type Outcome<Route> = Promise<Result<ItemsOf<InferResponseType<Route>>, BesideOf<InferResponseType<Route>>>>;

/** Takes no argument where a call of the client is what its route is, and else one that there is not. */
declare function same<
  Call extends (...given: never[]) => unknown,
  Route,
  Part extends "json" | "query",
  Nth extends 0 | 1,
>(
  ...none: [
    Equal<
      Flat<NonNullable<Parameters<Call>[Nth]>>,
      Flat<InferRequestType<Route>[Part & keyof InferRequestType<Route>]>
    >,
    Equal<ReturnType<Call>, Outcome<Route>>,
  ] extends [true, true]
    ? []
    : [never]
): void;

true satisfies Equal<ReturnType<Client["me"]>, Outcome<Routes["me"]["$get"]>>;
same<Client["nearbyCampaigns"], Routes["campaigns"]["near-by-popular-campaigns"]["$post"], "json", 0>();
same<Client["coupons"], Routes["coupons"]["$get"], "query", 0>();
same<Client["myCoupons"], Routes["my-coupons"]["$get"], "query", 0>();
same<Client["fullSearch"], Routes["full-search"]["$post"], "json", 0>();
same<Client["messages"], Routes["messages"]["$get"], "query", 0>();
same<Client["teamWithLevel"], Routes["stores"][":id"]["team-with-level"]["$get"], "query", 1>();
same<Client["leaderboard"], Routes["gamification"]["leaderboard"]["$post"], "json", 0>();
