/** An answer of the API with a result. */
export function ok(result: unknown, info: object = {}): Response {
  return Response.json({ success: true, errors: [], messages: [], result, ...info });
}

/** An answer of the API with an error. */
export function refusal(status: number, code: number, message = "refused", headers: Record<string, string> = {}) {
  const body = { success: false, errors: [{ code, message }], messages: [], result: null };
  return Response.json(body, { status, headers });
}
