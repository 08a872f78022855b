/** An answer of the API. */
export interface Reply {
  /** In place of an envelope: the bytes of an object, or what a Worker answers. */
  bytes?: Buffer;
  /** The connection ends without an answer. */
  hangsUp?: boolean;
  result?: unknown;
  result_info?: { cursor?: string | undefined };
  status?: number;
  headers?: Record<string, string>;
  code?: number;
  message?: string;
}
