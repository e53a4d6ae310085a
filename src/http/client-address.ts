// Finds out who is calling: address lists with CIDR ranges, and the client behind trusted proxies.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface AddressList {
  readonly size: number;
  includes(address: string): boolean;
}

/** Peers repeat: remembering this many verdicts makes a lookup one hash, and the memory stays bounded. */
const CACHE_LIMIT = 4096;

/** No sane chain of proxies is longer; the header itself is bounded by the server. */
const MAX_HOPS = 32;

/** A socket that is already gone has no address any more. */
const UNKNOWN = 'unknown';

const PLAIN_V4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
/** ::10.0.0.1 is an address of the old IPv6 transition and no IPv4 address; the library reads it as ::ffff:10.0.0.1, which is. */
const IPV4_COMPATIBLE = /^::(?=\d+\.)/;
const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const V6_IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

function parseAddress(text: string): Address | undefined {
  if (PLAIN_V4.test(text)) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  const zone = text.indexOf('%');
  const bare = zone < 0 ? text : text.slice(0, zone);
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined;
  const address = ipaddr.IPv6.parse(bare.replace(IPV4_COMPATIBLE, '0::'));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** One spelling per address, so that lists, limits and logs agree; undefined for anything that is no address. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text.trim())?.toString();
}

export function isLoopbackAddress(text: string): boolean {
  const address = canonicalAddress(text);
  return address !== undefined && (address === '::1' || /^127\./.test(address));
}

/** The 64 bits of IPv6 that one line has: behind them its owner may have any address he likes. IPv4 stays as it is. */
export function addressGroup(text: string): string {
  const address = parseAddress(text.trim());
  if (address === undefined || address.kind() === 'ipv4') return text;
  return `${(address as ipaddr.IPv6).parts.slice(0, 4).join(':')}::/64`;
}

interface Range {
  readonly base: Address;
  readonly bits: number;
}

function parseRange(entry: string): Range | undefined {
  const slash = entry.indexOf('/');
  const text = slash < 0 ? entry : entry.slice(0, slash);
  const base = parseAddress(text);
  if (base === undefined) return undefined;
  const width = base.kind() === 'ipv4' ? 32 : 128;
  if (slash < 0) return { base, bits: width };
  const suffix = entry.slice(slash + 1);
  // A mapped range counts its bits in the IPv6 form: ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const folded = width === 32 && text.includes(':') ? 96 : 0;
  const bits = PREFIX_LENGTH.test(suffix) ? Number(suffix) - folded : -1;
  return bits >= 0 && bits <= width ? { base, bits } : undefined;
}

export function createAddressList(entries: readonly string[]): AddressList {
  const bad: string[] = [];
  const ranges: Range[] = [];
  for (const entry of entries) {
    const range = parseRange(entry.trim());
    if (range === undefined) bad.push(JSON.stringify(entry));
    else ranges.push(range);
  }
  if (bad.length > 0) {
    throw new Error(
      `Not an address or CIDR range: ${bad.join(', ')}. Write addresses such as 203.0.113.7 or 2001:db8::1, ` +
        'and ranges such as 10.0.0.0/8.',
    );
  }
  const verdicts = createCache<boolean>();
  const decide = (text: string): boolean => {
    const address = parseAddress(text.trim());
    return address !== undefined && ranges.some((range) => covers(range, address));
  };
  return {
    size: ranges.length,
    includes: (address) => ranges.length > 0 && verdicts(address, decide),
  };
}

function covers({ base, bits }: Range, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}

/** Starts empty again when full: simpler than tracking ages, and a miss costs only a microsecond. */
function createCache<Value>(): (key: string, make: (key: string) => Value) => Value {
  const known = new Map<string, Value>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = make(key);
    if (known.size >= CACHE_LIMIT) known.clear();
    known.set(key, value);
    return value;
  };
}

export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string;

/** The peer, unless it is a trusted proxy; then the right-most hop of X-Forwarded-For that is not one. */
export function createClientAddress(trusted: AddressList): ClientAddress {
  const spelling = createCache<string>();
  const canonical = (peer: string): string => spelling(peer, (text) => canonicalAddress(text) ?? UNKNOWN);
  return (peer, forwardedFor) => {
    if (peer === undefined) return UNKNOWN;
    const direct = canonical(peer);
    if (forwardedFor === undefined || !trusted.includes(direct)) return direct;
    return furthestKnownHop(direct, forwardedFor, trusted);
  };
}

function furthestKnownHop(peer: string, forwardedFor: string, trusted: AddressList): string {
  const hops = forwardedFor.split(',').slice(-MAX_HOPS);
  let last = peer;
  for (const text of hops.reverse()) {
    const hop = canonicalAddress(withoutPort(text.trim()));
    // Whatever stands left of garbage was written by somebody we cannot vouch for.
    if (hop === undefined) return last;
    if (!trusted.includes(hop)) return hop;
    last = hop;
  }
  return last;
}

function withoutPort(hop: string): string {
  return V4_WITH_PORT.exec(hop)?.[1] ?? V6_IN_BRACKETS.exec(hop)?.[1] ?? hop;
}
