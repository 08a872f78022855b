import type { Row } from "./kinds.ts";

/** The expected answer. A failure's body is left out, because only its status and its wrong fields are compared. */
export interface Expected {
  status: number;
  body?: Row;
  /** Only with status 422: the names of the wrong parameters, without `rank_on`, or of fields, such as `line 3.latitude`. */
  fields?: string[];
  /** Whether the list has another page. */
  hasNext?: boolean;
}
