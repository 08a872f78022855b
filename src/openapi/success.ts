import * as z from "zod";

export function success<Items extends z.ZodType>(items: Items) {
  return z.object({ status: z.literal(true), items });
}

/** An object schema whose type has this name in a generated client. */
export function named<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}
