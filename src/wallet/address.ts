// Addresses as people paste them: read with their checksum, so that a mistyped one is caught before money leaves.

import type { Address } from './chain.ts';
import { keccak256 } from './keccak.ts';

const FORM = /^0x[0-9a-fA-F]{40}$/;
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/** The capitals of EIP-55 for 40 hex digits. */
export function checksumAddress(address: string): Address {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak256(Buffer.from(digits, 'ascii'))).toString('hex');
  const capitals = [...digits].map((digit, index) =>
    Number.parseInt(hash[index] as string, 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${capitals.join('')}`;
}

/** The address with its checksum, or what is wrong with the text. */
export function readAddress(text: string): { readonly address: Address } | { readonly fault: string } {
  if (!FORM.test(text)) return { fault: 'is no address, send 0x and 40 hex digits' };
  const address = checksumAddress(text);
  const digits = text.slice(2);
  const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (hasNoChecksum || address === text) return { address };
  return { fault: 'has a wrong checksum (its capitals), copy it again: a digit may be mistyped' };
}

/** The account of an uncompressed public key: 65 bytes, the first of them 4. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  return checksumAddress(
    `0x${Buffer.from(keccak256(publicKey.subarray(1)))
      .subarray(12)
      .toString('hex')}`,
  );
}
