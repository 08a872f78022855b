// Every table that the migrations make, with its keys, indexes and references; a test compares the two. What each table
// holds is said in the migrations.
export * from "./accounts.ts";
export * from "./balances.ts";
export * from "./campaigns.ts";
export * from "./coupons.ts";
export * from "./customers.ts";
export * from "./friendships.ts";
export * from "./history.ts";
export * from "./jobs.ts";
export * from "./live.ts";
export * from "./memberships.ts";
export * from "./messages.ts";
export * from "./plays.ts";
export * from "./registrations.ts";
export * from "./stores.ts";
