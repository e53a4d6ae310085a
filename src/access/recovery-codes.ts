// Recovery codes: each lets in once in place of a one-time code, for an owner whose phone is gone. Kept as digests.

import { hash } from 'node:crypto';
import { base32 } from './totp.ts';

const COUNT = 10;
/** 80 bits: not to be guessed, not even from a digest. */
const BYTES = 10;
const FORM = /^[A-Z2-7]{16}$/;

/** In groups of four, to be written down. */
export const newRecoveryCodes = (randomBytes: (size: number) => Uint8Array): readonly string[] =>
  Array.from({ length: COUNT }, () => (base32(randomBytes(BYTES)).match(/.{4}/g) ?? []).join('-'));

/** Undefined for what is no recovery code. */
export function recoveryDigest(code: string): string | undefined {
  const letters = code.replace(/[\s-]/g, '').toUpperCase();
  return FORM.test(letters) ? hash('sha256', letters, 'hex') : undefined;
}
