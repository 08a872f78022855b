import { type Failure, LoyaltyError, type Result } from "loyalty-edge/till";
import { textOf } from "../lib/answer-view.ts";

const GIVEN_UP = "No answer came. If it was done, it is taken back once the service answers.";

/** The items of an answer, or in words why there are none. */
export async function outcomeOf<Items>(call: Promise<Result<Items>>): Promise<Items | string> {
  try {
    const answer = await call;
    return answer.status ? answer.items : refusalOf(answer);
  } catch (error) {
    if (error instanceof LoyaltyError) return error.failure === null ? GIVEN_UP : refusalOf(error.failure);
    throw error;
  }
}

/** What is in the way: the conditions that do not hold, or the error. */
function refusalOf(failure: Failure): string {
  const details = (failure.checks ?? []).map(({ detail }) => detail);
  return details.length === 0 ? textOf(failure) : `${details.join("; ")}.`;
}
