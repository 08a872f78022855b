import * as z from "zod";
import { placeParameter } from "../../http/paging.ts";
import { AccountBalance, SearchCustomer } from "../schema.ts";

export const BALANCES_LIMIT = 1_000;

export const MeQuery = z.object({ after: placeParameter({ company: z.string(), account_id: z.string() }) });

export const Me = SearchCustomer.extend({
  balances: z.array(AccountBalance).describe("The customer's balance at each account, by the account's name."),
}).meta({ id: "Me" });
export type Me = z.output<typeof Me>;
