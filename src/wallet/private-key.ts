// Private keys as they are pasted: read strictly, and never repeated in a message.

import { createECDH } from 'node:crypto';
import { addressOfPublicKey } from './address.ts';
import type { Address, Hex } from './chain.ts';

const FORM = /^(?:0x)?([0-9a-fA-F]{64})$/;
/** The number of points of the curve secp256k1: keys are below it. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

/** With or without 0x, blanks around it ignored; the fault says nothing of the text. */
export function readPrivateKey(text: string): { readonly key: Hex } | { readonly fault: string } {
  const digits = FORM.exec(text.trim())?.[1]?.toLowerCase();
  if (digits === undefined) return { fault: 'is no private key; it is 64 hex digits, with or without 0x in front' };
  const number = BigInt(`0x${digits}`);
  if (number === 0n || number >= ORDER) return { fault: 'is no private key of this curve; make a new one' };
  return { key: `0x${digits}` };
}

export function addressOfKey(key: Hex): Address {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(Buffer.from(key.slice(2), 'hex'));
  return addressOfPublicKey(pair.getPublicKey());
}
