// What the Host of a request says: whether it names this machine, and whether anybody else could own that name.
//
// A web site may let a name of its own lead to our address (DNS rebinding). For the browser its page and we are the same site
// then, so nothing that a browser says of the page tells them apart; only the name does.
import { canonicalAddress, isLoopbackAddress } from './client-address.ts';

const HOST_FORM = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i;

/** Endings that nobody can register: each network gives such names itself. */
const PRIVATE_ENDING = /\.(?:local|localhost|internal|lan|home|corp|test|home\.arpa)$/;

/** Without the port and the brackets of IPv6; undefined for what is no host. */
export function hostNameOf(host: string): string | undefined {
  const name = HOST_FORM.exec(host)?.[1]?.toLowerCase();
  return name?.startsWith('[') ? name.slice(1, -1) : name;
}

export function isLoopbackHost(host: string): boolean {
  const name = hostNameOf(host);
  // Brackets are for IPv6 alone, and IPv6 needs them.
  if (name === undefined || host.startsWith('[') !== name.includes(':')) return false;
  return name === 'localhost' || isLoopbackAddress(name);
}

/** An address, a name without a dot, or one that only a private network gives. */
export function isPrivateHost(host: string): boolean {
  const name = hostNameOf(host);
  if (name === undefined) return false;
  return canonicalAddress(name) !== undefined || !name.includes('.') || PRIVATE_ENDING.test(name);
}
