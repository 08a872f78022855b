import type { Row } from "./kinds.ts";
import type { Expected } from "./model.ts";

/** An answer of the service. */
export interface Answered {
  status: number;
  body: Row;
  /** The header `Link`. */
  link: string | null;
}

// Distances have two digits. The model's sines may differ from SQLite's, which may change the last digit.
const ROUNDED_MILES = 0.0101;

/** An answer in the form of the model's answers. */
export function seenAs(expected: Expected, { status, body, link }: Answered): Expected {
  if (status === 422) return { status, fields: Object.keys(body.messages ?? {}).sort() };
  if (status !== 200) return { status };
  if (body.status === false) return { status, body: { status: false, errorCode: body.errorCode } };
  const seen: Expected = { status, body };
  if (expected.hasNext !== undefined) seen.hasNext = link?.includes('rel="next"') ?? false;
  const campaigns = expected.body?.items;
  if (Array.isArray(campaigns) && Array.isArray(body.items))
    for (const [index, item] of body.items.entries())
      if (Math.abs(item.distance - campaigns[index]?.distance) < ROUNDED_MILES)
        item.distance = campaigns[index].distance;
  return seen;
}

/** Describes how two values differ; null: they are equal. */
export function differenceOf(seen: unknown, expected: unknown): string | null {
  const [one, other] = [seen, expected].map((value) => JSON.stringify(sorted(value)));
  return one === other ? null : `${one} instead of ${other}`;
}

/** The same value with the fields of objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const byName = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(byName.map(([name, inner]) => [name, sorted(inner)]));
}
