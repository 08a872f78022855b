/** An answer of the API. */
export interface Reply {
  /** The body of an object or of a Worker's answer. Without `bytes`, the body is the JSON of the other properties. */
  bytes?: Buffer;
  /** Closes the connection without an answer. */
  hangsUp?: boolean;
  result?: unknown;
  result_info?: { cursor?: string | undefined };
  status?: number;
  headers?: Record<string, string>;
  code?: number;
  message?: string;
}
