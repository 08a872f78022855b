/** What the page's address says, so that a reload finds it: for whom the page is, what is searched for. Never a token. */
export function inAddress(name: "customer" | "query"): string {
  return new URL(location.href).searchParams.get(name) ?? "";
}

/** Puts it there, without another step in the browser's history. */
export function putInAddress(name: "customer" | "query", value: string): void {
  const address = new URL(location.href);
  address.searchParams.set(name, value);
  if (value === "") address.searchParams.delete(name);
  history.replaceState(null, "", address);
}
