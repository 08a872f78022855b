import * as z from "zod";
import { IdInBody } from "../../values/parameter.ts";
import { StoreIdInBody, WriteId } from "../schema.ts";

export const ReversalBody = z.object({
  id: WriteId,
  redemption_id: IdInBody.describe("The redemption whose use is given back."),
  store_id: StoreIdInBody,
});
export type ReversalBody = z.output<typeof ReversalBody>;
