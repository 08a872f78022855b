import type { Time } from "./time.ts";

/** Lets time pass until the work is done, for tests of the platform. */
export async function during<Value>(time: Time, work: Promise<Value>): Promise<Value> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  // Work that waits for nothing is done after the first of these.
  time.after(0, () => {});
  await time.passUntil(() => isDone);
  return work;
}
