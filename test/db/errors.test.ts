import { describe, it } from "vitest";
import { databaseFaultOf, isTransient, toDatabaseError } from "../../src/db/errors.ts";

// The list of D1_ERRORs with the action that each recommends, as of 2026-08-11:
// https://developers.cloudflare.com/d1/observability/debug-d1/#error-list. "Retry" stands for "Retry the operation".
const D1_ERRORS = [
  ["No SQL statements detected.", "Write a statement", undefined],
  ["Your account has exceeded D1's maximum account storage limit, please contact Cloudflare.", "Delete", "full"],
  ["Exceeded maximum DB size.", "Delete", "full"],
  ["D1 DB reset because its code was updated.", "Retry", "reset"],
  ["Internal error while starting up D1 DB storage caused object to be reset.", "Retry", "reset"],
  ["Network connection lost.", "Retry", "lost"],
  ["Internal error in D1 DB storage caused object to be reset.", "Retry", "reset"],
  ["Replica disconnected from primary.", "Retry", "lost"],
  ["Cannot resolve D1 DB due to transient issue on remote node.", "Retry", "lost"],
  ["Can't read from request stream because client disconnected.", "Retry", "lost"],
  ["D1 DB storage operation exceeded timeout which caused object to be reset.", "Ask for less", "reset"],
  ["D1 DB is overloaded. Requests queued for too long.", "Send less", "overloaded"],
  ["D1 DB is overloaded. Too many requests queued.", "Send less", "overloaded"],
  ["D1 DB's isolate exceeded its memory limit and was reset.", "Ask for less", "exceeded"],
  ["D1 DB exceeded its CPU time limit and was reset.", "Ask for less", "exceeded"],
] as const;

// Errors that others have met, and that the list lacks.
const MORE_ERRORS = [
  ["internal error; reference = 7k2m0q", "Retry", "reset"],
  ["Your account has exceeded D1's free tier daily row read limit.", "Wait", "daily_limit"],
] as const;

describe("an error of D1", () => {
  it.for([...D1_ERRORS, ...MORE_ERRORS])(
    "is known, and repeated if D1 recommends it: %s %s",
    ([text, action, fault], { expect }) => {
      const error = new Error(`D1_ERROR: ${text}`);

      expect(databaseFaultOf(toDatabaseError(error))).toBe(fault);
      expect(isTransient(error)).toBe(action === "Retry");
    },
  );
});
