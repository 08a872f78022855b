/** A line of the feed, before it is JSON text. */
export type Line = Readonly<Record<string, unknown>> & { record: string };
