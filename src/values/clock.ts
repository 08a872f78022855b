/** The Worker's clock. An object, so that tests can replace it. */
export const clock = {
  /** Milliseconds since 1970. */
  now: (): number => Date.now(),
  pause: (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
