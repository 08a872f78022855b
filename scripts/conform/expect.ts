import { type Answer, type Item, idsOf, itemsOf } from "./http.ts";

/** Thrown if a rule does not hold. The message says what was expected, and what came. */
export class Broken extends Error {
  override readonly name = "Broken";
}

const LONGEST_TEXT = 400;

export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what);
}

/** Expects the same JSON. The order of an object's fields does not matter. `what` begins the message. */
export function expectSame(actual: unknown, expected: unknown, what = ""): void {
  const [came, wanted] = [actual, expected].map((value) => JSON.stringify(sorted(value)) ?? "nothing");
  expectThat(came === wanted, `${what && `${what}: `}expected ${short(wanted)}, came ${short(came)}`);
}

/** Expects an object to have these fields with these values, and any others. */
export function expectFields(actual: Item | undefined, expected: Item, what?: string): void {
  expectThat(actual !== undefined, `${what ?? "the item"} is missing`);
  const compared = Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]));
  expectSame(compared, expected, what);
}

/** Expects an object to have exactly these fields. */
export function expectNames(object: unknown, names: readonly string[]): void {
  const actual = Object.keys((object ?? {}) as object);
  const missing = names.filter((name) => !actual.includes(name));
  const unknown = actual.filter((name) => !names.includes(name));
  expectSame({ missing, unknown }, { missing: [], unknown: [] }, "fields");
}

/** The fields that a rule lists in backticks, after its colon if there is one. */
export function fieldsIn(rule: string): string[] {
  const fields = rule.slice(rule.indexOf(": ") + 1).matchAll(/`(\w+)`/g);
  return [...new Set(Array.from(fields, ([, name = ""]) => name))];
}

/** Expects a list whose items have these ids, in this order; or these values of another field. */
export function expectList(list: Answer | readonly Item[], values: readonly unknown[], field = "id"): void {
  const [items, request] = "body" in list ? [itemsOf(list), list.request] : [list];
  expectSame(idsOf(items, field), values, request);
}

/** Expects a failure (docs/contract/interface.md, 3). With `fields`, it must name these fields, each with a text. */
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  );
}

function short(text = ""): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
