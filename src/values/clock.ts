/** The Worker's clock, by which cached values age: one object, so that tests can stop it. */
export const clock = {
  /** Milliseconds since 1970. */
  now: (): number => Date.now(),
  /** Resolves after so many milliseconds. */
  pause: (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
