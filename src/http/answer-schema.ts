import * as z from "zod";

export function success<Items extends z.ZodType>(items: Items) {
  return z.object({ status: z.literal(true), items });
}

/** An object schema whose type has this name in a generated client. */
export function named<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}

/** A condition of a coupon or a booking (docs/contract/till.md, 4). */
export const Check = named("Check", {
  check: z.string().describe("The condition, such as `not_used_up`."),
  holds: z.boolean().describe("Whether it holds."),
  detail: z.string().describe("Why, in words: `3 of 3 uses`."),
});
export type Check = z.output<typeof Check>;

/** The body of a failed request (docs/contract/interface.md, 3). */
export const Failure = z.object({
  status: z.literal(false).describe("False: the call failed."),
  errorCode: z
    .enum([
      "NO_ITEMS",
      "VALIDATION_EXCEPTION",
      "UNAUTHENTICATED",
      "FORBIDDEN",
      "NOT_FOUND",
      "METHOD_NOT_ALLOWED",
      "REQUEST_TIMEOUT",
      "START_AGAIN",
      "CONFLICT",
      "NOT_POSSIBLE",
      "PAYLOAD_TOO_LARGE",
      "UPGRADE_REQUIRED",
      "TOO_MANY_REQUESTS",
      "UNAVAILABLE",
      "INTERNAL_ERROR",
      "DATABASE_FULL",
    ])
    .optional()
    .describe("What failed, for a program."),
  message: z.string().optional().describe("What failed, in words."),
  messages: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe("Every bad field with what to correct, in words."),
  checks: z.array(Check).optional().describe("At the till: the conditions that do not hold."),
});
export type Failure = z.output<typeof Failure>;
