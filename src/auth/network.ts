const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The network that an address belongs to. An IPv6 client has a network of 2^64 addresses to send from, and could not be
 * rate-limited by any one of them: there it is the network (/64) that counts.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [before = [], after = []] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const left = Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array.from({ length: left }, () => "0"), ...after];
  return groups.slice(0, NETWORK_GROUPS).join(":");
}
