export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** @throws {TimedOut} after the timeout. The work itself continues. */
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
