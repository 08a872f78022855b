// The exports whose pages are the largest, with the records for them that `largest.ts` has not fed.

export interface LargestExport {
  name: string;
  /** The kind of record. */
  record: string;
  /** Bodies of feed requests. */
  bodies: readonly string[];
}

const CUSTOMER = "customer-10000";
const MESSAGES = 2_000;

export function largestExports(): LargestExport[] {
  const members = { initial_customer_id: CUSTOMER, member_ids: [CUSTOMER, "customer-10001"] };
  const talk = JSON.stringify({ record: "message_group", id: "exported", ...members });
  return [
    {
      name: "Export: messages of 4,000 emoji",
      record: "message",
      bodies: [talk, ...messages("a", 500, "🎉".repeat(4_000))],
    },
    {
      name: "Export: with messages of letters and one emoji",
      record: "message",
      bodies: messages("b", 2_000, `${"word ".repeat(799)}🎉`),
    },
    {
      name: "Export: with messages of control characters",
      record: "message",
      bodies: messages("c", 340, "\u0001".repeat(4_000)),
    },
    ...["coupon", "account", "customer", "campaign", "message_group"].map((record) => ({
      name: `Export: ${record}`,
      record,
      bodies: [],
    })),
  ];
}

function messages(prefix: string, aRequest: number, body: string): string[] {
  const bodies: string[] = [];
  for (let from = 0; from < MESSAGES; from += aRequest) {
    const lines = Array.from({ length: Math.min(aRequest, MESSAGES - from) }, (_, index) =>
      JSON.stringify({
        record: "message",
        id: `${prefix}-${from + index}`,
        group_id: "exported",
        customer_id: CUSTOMER,
        body,
      }),
    );
    bodies.push(lines.join("\n"));
  }
  return bodies;
}
