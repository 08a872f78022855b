import { type Answer, type Item, idsOf, itemsOf } from "./http.ts";

/** A rule does not hold: what was expected, and what came. */
export class Broken extends Error {
  override readonly name = "Broken";
}

const LONGEST = 400;

export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what);
}

/** Expects the same JSON. The order of an object's fields does not matter. `what` tells the rounds of a loop apart. */
export function expectSame(actual: unknown, expected: unknown, what = ""): void {
  const [came, wanted] = [actual, expected].map((value) => JSON.stringify(sorted(value)) ?? "nothing");
  expectThat(came === wanted, `${what && `${what}: `}expected ${short(wanted)}, came ${short(came)}`);
}

/** Expects these fields among an object's. */
export function expectFields(actual: Item | undefined, expected: Item, what?: string): void {
  expectThat(actual !== undefined, `${what ?? "the item"} is missing`);
  const same = Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]));
  expectSame(same, expected, what);
}

/** Expects exactly these fields. */
export function expectNames(actual: unknown, names: readonly string[]): void {
  const came = Object.keys((actual ?? {}) as object);
  const [missing, more] = [names.filter((name) => !came.includes(name)), came.filter((name) => !names.includes(name))];
  expectThat(missing.length + more.length === 0, `the fields ${list(missing)} are missing, and ${list(more)} too many`);
}

/** The fields that a rule lists in backticks, after its colon if there is one. */
export function fieldsIn(rule: string): string[] {
  const list = rule.slice(rule.indexOf(": ") + 1);
  return [...new Set(Array.from(list.matchAll(/`(\w+)`/g), ([, name = ""]) => name))];
}

/** Expects a list whose items have these ids, in this order, or these values of another field. */
export function expectIds(list: Answer | readonly Item[], ids: readonly unknown[], name = "id"): void {
  const [items, request] = "body" in list ? [itemsOf(list), list.request] : [list];
  expectSame(idsOf(items, name), ids, request);
}

/** Expects a failure (docs/contract/interface.md, 3): its status, its code, and for a 422 its bad fields. */
export function expectFailure(answer: Answer, status: number, code: string, fields?: readonly string[]): void {
  const { body, request } = answer;
  expectSame([answer.status, body.status, body.errorCode], [status, false, code], `${request} is refused`);
  if (fields === undefined) expectThat(typeof body.message === "string", `${request} says nothing in message`);
  else {
    expectSame(Object.keys(body.messages ?? {}).sort(), [...fields].sort(), `${request} names the bad fields`);
    const texts = Object.values(body.messages ?? {});
    expectThat(
      texts.every((one) => Array.isArray(one) && one.length > 0),
      `${request} names a field without a text`,
    );
  }
}

export function expectInvalid(answer: Answer, ...fields: string[]): void {
  expectFailure(answer, 422, "VALIDATION_EXCEPTION", fields);
}

export function expectOk(answer: Answer): void {
  const said = JSON.stringify(answer.body);
  expectThat(answer.status === 200, `${answer.request} answered ${answer.status}: ${short(said)}`);
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
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}
