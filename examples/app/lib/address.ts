/** A parameter of the page's address, which survives a reload: the customer or the search. Never a token. */
export function inAddress(name: "customer" | "query"): string {
  return new URL(location.href).searchParams.get(name) ?? "";
}

/** Sets a parameter of the address without a new entry in the browser's history. */
export function putInAddress(name: "customer" | "query", value: string): void {
  const address = new URL(location.href);
  address.searchParams.set(name, value);
  if (value === "") address.searchParams.delete(name);
  history.replaceState(null, "", address);
}
