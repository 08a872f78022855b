import { DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { devCustomerToken } from "../lib/dev-token.ts";

/** The programs of the soak, with the same ids in all of them. */
export const PROGRAMS = [DEFAULT_PROGRAM, "acme", "globex"];

const tokens = new Map<string, Promise<string>>();

/** What the soak calls a customer or a group of a program: `acme/c1`; in the default program by the id alone. */
export function inProgram(program: string, id: string): string {
  return program === DEFAULT_PROGRAM ? id : `${program}/${id}`;
}

/** The program and the id of what `inProgram` has named. */
export function partsOf(name: string): { program: string; id: string } {
  const [id = "", program = DEFAULT_PROGRAM] = name.split("/").reverse();
  return { program, id };
}

/** All of them in every program; those with one id stand together. */
export function inAllPrograms(ids: readonly string[]): string[] {
  return ids.flatMap((id) => PROGRAMS.map((program) => inProgram(program, id)));
}

/** The token of a customer of a program, which is signed once. */
export function tokenOf(customer: string): Promise<string> {
  const { program, id } = partsOf(customer);
  const token = tokens.get(customer) ?? devCustomerToken(id, 1, program);
  tokens.set(customer, token);
  return token;
}
