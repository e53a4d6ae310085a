// The list of senders whose mail may trade: whole addresses, and `@domain` for everyone there.

import { domainToASCII } from 'node:url';

/** Lower case, and the domain in its ASCII form: two spellings of an address are one. Undefined for what is none. */
export function plainAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const domain = domainToASCII(text.slice(at + 1)).replace(/\.$/, '');
  if (at < 1 || domain === '' || !domain.includes('.') || /[\s<>"(),:;\\[\]@]/.test(text.slice(0, at)))
    return undefined;
  return `${text.slice(0, at).toLowerCase()}@${domain}`;
}

export function createSenderList(entries: readonly string[]): (address: string) => boolean {
  const allowed = new Set(
    entries.map((entry) => (entry.startsWith('@') ? plainAddress(`x${entry}`)?.slice(1) : plainAddress(entry))),
  );
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && (allowed.has(plain) || allowed.has(plain.slice(plain.lastIndexOf('@'))));
  };
}
