/** Something took longer than its timeout. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** @throws {TimedOut} after so many milliseconds; the work itself goes on. */
export async function withTimeout<Value>(milliseconds: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
