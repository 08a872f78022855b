import * as z from "zod";
import { cursorParameter, PageCursor } from "../../http/paging.ts";
import { AccountBalance, SearchCustomer } from "../schema.ts";

export const MeQuery = z.object({ after: cursorParameter(PageCursor) });

export const Me = SearchCustomer.extend({
  balances: z.array(AccountBalance).describe("The customer's balance at each account, by the account's name."),
}).meta({ id: "Me" });
export type Me = z.output<typeof Me>;
