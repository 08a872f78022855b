import { type Answer, linkOf } from "../../scripts/lib/call.ts";
import type { Expected } from "../model/expected.ts";

// The model's sines differ slightly from SQLite's, so the last of a distance's two decimals may differ by one.
const ROUNDED_MILES = 0.0101;

/** Converts the service's answer to the form of the model's answer, so that the two can be compared. */
export function seenAs(expected: Expected, { status, headers, body }: Omit<Answer, "text">): Expected {
  if (status === 422) return { status, fields: Object.keys(body.messages ?? {}).sort() };
  if (status !== 200) return { status };
  if (body.status === false) return { status, body: { status: false, errorCode: body.errorCode } };
  const converted: Expected = { status, body };
  if (expected.hasNext !== undefined) converted.hasNext = linkOf({ headers }) !== undefined;
  const campaigns = expected.body?.items;
  if (Array.isArray(campaigns) && Array.isArray(body.items))
    for (const [index, item] of body.items.entries())
      if (Math.abs(item.distance - campaigns[index]?.distance) < ROUNDED_MILES)
        item.distance = campaigns[index].distance;
  return converted;
}

/** Describes how two values differ; null: they are equal. */
export function differenceOf(seen: unknown, expected: unknown): string | null {
  const [seenText, expectedText] = [seen, expected].map((value) => JSON.stringify(withSortedFields(value)));
  return seenText === expectedText ? null : `${seenText} instead of ${expectedText}`;
}

/** The value with the fields of its objects in alphabetical order. */
function withSortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedFields);
  if (typeof value !== "object" || value === null) return value;
  const byName = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(byName.map(([name, inner]) => [name, withSortedFields(inner)]));
}
