import * as z from "zod";

/** The body of a call that went well, with its data in `items`. */
export function success<Items extends z.ZodType>(items: Items) {
  return z.object({ status: z.literal(true), items });
}

/** An object of the reference, of which a generated client has a type of this name. */
export function named<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}
