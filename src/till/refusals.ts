import type { Check } from "../http/answer-schema.ts";
import { conflict, notPossible } from "../http/errors.ts";

/**
 * For an id that was used before.
 * @param asked the fields that are compared (docs/contract/till.md, 1).
 * @param stored the same fields of the stored event.
 * @param isCovered whether the token covers the account of the stored event.
 * @param otherKind what the stored event is, if it is of another kind: "a redemption".
 * @throws the failure 409 unless both say the same.
 */
export function mustRepeat<Name extends string>(
  asked: Readonly<Partial<Record<Name, unknown>>>,
  stored: Readonly<Record<Name, unknown>>,
  isCovered: boolean,
  otherKind?: string,
): void {
  const names = Object.keys(asked) as Name[];
  const differing = names.filter((name) => asked[name] !== stored[name]);
  if (differing.length === 0) return;
  if (!isCovered) throw conflict("This id is taken. Begin your ids with something of your own.");
  const differ = differing.length === 1 ? "differs" : "differ";
  const fields = new Intl.ListFormat("en").format(differing);
  const kind = otherKind === undefined ? "" : ` It is the id of ${otherKind}.`;
  throw conflict(`This id was used before with another content: ${fields} ${differ}.${kind}`);
}

/** The failure 422 for what is not possible now. `checks`: those that were looked at. */
export function impossible(what: string, checks: readonly Check[]) {
  const failed = checks.filter(({ holds }) => !holds);
  const names = new Intl.ListFormat("en").format(failed.map(({ check }) => check));
  return notPossible(`${what} is not possible: ${names} ${failed.length === 1 ? "does" : "do"} not hold.`, failed);
}
