// Every table that the migrations make, with its keys, indexes and references; a test compares the two. What each table
// holds is said in the migrations.
export * from "./coupons.ts";
export * from "./customers.ts";
export * from "./memberships.ts";
export * from "./merchants.ts";
export * from "./messages.ts";
export * from "./plays.ts";
export * from "./service.ts";
