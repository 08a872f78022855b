import { type Answer, type Item, idsOf, itemsOf } from "./http.ts";
import { Broken } from "./outcome.ts";

const LONGEST_TEXT = 400;

export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what);
}

/**
 * Expects the same JSON. The order of an object's fields does not matter. A line of the feed in `expected` stands for
 * its id. `what` begins the message.
 */
export function expectSame(actual: unknown, expected: unknown, what = ""): void {
  const [actualJson, expectedJson] = [sortedJson(actual), sortedJson(expected, idOfLine)];
  const label = what === "" ? "" : `${what}: `;
  expectThat(actualJson === expectedJson, `${label}expected ${short(expectedJson)}, came ${short(actualJson)}`);
}

/** Expects an object to have these fields with these values. It may have other fields. */
export function expectFields(actual: Item | undefined, expected: Item, what?: string): void {
  expectThat(actual !== undefined, `${what ?? "the item"} is missing`);
  const comparedFields = Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]));
  expectSame(comparedFields, expected, what);
}

/** The names in a text, with blanks between them. */
export const namesIn = (text: string) => text.trim().split(/\s+/);

/** Expects an object to have exactly these fields. */
export function expectExactFields(object: unknown, names: readonly string[]): void {
  const actual = Object.keys((object ?? {}) as object);
  const missing = names.filter((name) => !actual.includes(name));
  const unknown = actual.filter((name) => !names.includes(name));
  expectSame({ missing, unknown }, { missing: [], unknown: [] }, "fields");
}

/** Expects the items of a list to have these ids, in this order. With `field`, compares that field instead. */
export function expectList(list: Answer | readonly Item[], values: readonly unknown[], field = "id"): void {
  if ("body" in list) expectSame(idsOf(itemsOf(list), field), values, list.request);
  else expectSame(idsOf(list, field), values);
}

/** Expects a failure (docs/contract/interface.md, 3). With `fields`, its `messages` must name exactly these fields. */
export function expectFailure(answer: Answer, status: number, code: string, fields?: readonly string[]): void {
  const { body, request } = answer;
  expectSame([answer.status, body.status, body.errorCode], [status, false, code], `${request} is refused`);
  if (fields === undefined) expectThat(typeof body.message === "string", `${request} has no message`);
  else {
    expectSame(Object.keys(body.messages ?? {}).sort(), [...fields].sort(), `${request} names the bad fields`);
    const hasTexts = Object.values(body.messages ?? {}).every((texts) => Array.isArray(texts) && texts.length > 0);
    expectThat(hasTexts, `${request} names a field without a text`);
  }
}

export function expectInvalid(answer: Answer, ...fields: string[]): void {
  expectFailure(answer, 422, "VALIDATION_EXCEPTION", fields);
}

export function expectOk(answer: Answer): void {
  expectThat(answer.status === 200, `${answer.request} answered ${answer.status}: ${short(answer.text)}`);
}

/** The JSON of a value, with the fields of each object sorted. `replace` is called for each object. */
function sortedJson(value: unknown, replace = (object: object): unknown => object): string {
  const withSortedFields = (_: string, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const replaced = replace(part);
    return replaced === part ? Object.fromEntries(Object.entries(part).sort()) : replaced;
  };
  return JSON.stringify(value, withSortedFields) ?? "nothing";
}

const idOfLine = (object: object): unknown => ("record" in object && "id" in object ? object.id : object);

function short(text = ""): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
