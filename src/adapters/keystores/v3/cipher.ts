// The cipher of Ethereum's key files, version 3: a slow key from the password, AES in counter mode, and a checksum over both.

import { createCipheriv, createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Hex } from '../../../wallet/chain.ts';
import { keccak256 } from '../../../wallet/keccak.ts';
import { addressOfKey, readPrivateKey } from '../../../wallet/private-key.ts';

/** What the usual wallets take: 256 MiB and about a second for every guess. */
export const STANDARD_COST = 2 ** 18;
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
/** A file that wants more than this is no key file but a way to hang the process. */
const MAX_SCRYPT_BYTES = 2 ** 30;
const MAX_ROUNDS = 10_000_000;

/** The message holds the remedy and nothing of key or password. */
export class KeystoreFault extends Error {
  override readonly name = 'KeystoreFault';
}

const hexText = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`));
const saltText = z.string().regex(/^(?:[0-9a-fA-F]{2}){1,64}$/);
const kdfSchema = z.discriminatedUnion('kdf', [
  z.object({
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      n: z.number().int().min(2),
      r: z.number().int().min(1).max(64),
      p: z.number().int().min(1).max(16),
      dklen: z.literal(KEY_BYTES),
      salt: saltText,
    }),
  }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({
      c: z.number().int().min(1).max(MAX_ROUNDS),
      prf: z.literal('hmac-sha256'),
      dklen: z.literal(KEY_BYTES),
      salt: saltText,
    }),
  }),
]);
const cryptoSchema = z
  .object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hexText(16) }),
    ciphertext: hexText(KEY_BYTES),
    mac: hexText(32),
  })
  .and(kdfSchema);
const fileSchema = z
  .object({
    version: z.literal(3),
    address: z.string().optional(),
    crypto: cryptoSchema.optional(),
    Crypto: cryptoSchema.optional(),
  })
  .transform(({ address, crypto, Crypto }) => ({ address, crypto: crypto ?? Crypto }));

type Sealed = z.infer<typeof cryptoSchema>;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

async function slowKey(password: string, sealed: z.infer<typeof kdfSchema>): Promise<Buffer> {
  const salt = bytes(sealed.kdfparams.salt);
  if (sealed.kdf === 'pbkdf2') return promisify(pbkdf2)(password, salt, sealed.kdfparams.c, KEY_BYTES, 'sha256');
  const { n, r, p } = sealed.kdfparams;
  const needed = 128 * n * r;
  // The last one is a bound of scrypt itself; a few early files are past it.
  if (needed > MAX_SCRYPT_BYTES || (n & (n - 1)) !== 0 || n >= 2 ** (16 * r))
    throw new KeystoreFault(
      'the key file has unusual scrypt parameters; import the key itself with "signalbox wallet import"',
    );
  const options = { N: n, r, p, maxmem: needed + 128 * r * p + 2 ** 20 };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const macOf = (slow: Buffer, ciphertext: Buffer): Buffer =>
  Buffer.from(keccak256(Buffer.concat([slow.subarray(16, 32), ciphertext])));

export interface SealOptions {
  readonly randomBytes: (size: number) => Buffer;
  readonly newId: () => string;
  /** A power of two; tests take a small one. */
  readonly cost?: number;
}

/** The text of a key file. */
export async function sealKey(key: Hex, password: string, options: SealOptions): Promise<string> {
  const { randomBytes, newId, cost = STANDARD_COST } = options;
  const kdfparams = { n: cost, r: BLOCK_SIZE, p: 1, dklen: KEY_BYTES as 32, salt: randomBytes(32).toString('hex') };
  const slow = await slowKey(password, { kdf: 'scrypt', kdfparams });
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-128-ctr', slow.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(bytes(key.slice(2))), cipher.final()]);
  const crypto: Sealed = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams,
    mac: macOf(slow, ciphertext).toString('hex'),
  };
  const address = addressOfKey(key).slice(2).toLowerCase();
  return `${JSON.stringify({ version: 3, id: newId(), address, crypto }, null, 2)}\n`;
}

export function readKeyFile(text: string): { readonly address: string | undefined; readonly crypto: Sealed } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new KeystoreFault(
      'the key file is not JSON; restore it from a backup, or make it again with "signalbox wallet import"',
    );
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success || parsed.data.crypto === undefined)
    throw new KeystoreFault(
      'the key file is no Ethereum key file of version 3 (aes-128-ctr with scrypt or pbkdf2); export it again, or use "signalbox wallet import"',
    );
  return { address: parsed.data.address, crypto: parsed.data.crypto };
}

export async function unsealKey(text: string, password: string): Promise<Hex> {
  const { address, crypto } = readKeyFile(text);
  const slow = await slowKey(password, crypto);
  const ciphertext = bytes(crypto.ciphertext);
  if (!timingSafeEqual(macOf(slow, ciphertext), bytes(crypto.mac)))
    throw new KeystoreFault('the password does not open the key file, or the file is damaged; check WALLET_PASSWORD');
  const decipher = createDecipheriv('aes-128-ctr', slow.subarray(0, 16), bytes(crypto.cipherparams.iv));
  const read = readPrivateKey(Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('hex'));
  if ('fault' in read) throw new KeystoreFault('what the key file holds is no private key; restore it from a backup');
  const own = addressOfKey(read.key).slice(2).toLowerCase();
  if (address !== undefined && address.replace(/^0x/, '').toLowerCase() !== own)
    throw new KeystoreFault(
      'the key file names another account than its key has; it was altered: restore it from a backup',
    );
  return read.key;
}
