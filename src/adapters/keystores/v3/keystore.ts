// Key files on disk: written once and for the owner alone, read whole, never overwritten.

import { readFile, stat } from 'node:fs/promises';
import { StorageError } from '../../../errors/storage-error.ts';
import { checksumAddress } from '../../../wallet/address.ts';
import type { Address, Hex } from '../../../wallet/chain.ts';
import { addressOfKey } from '../../../wallet/private-key.ts';
import { KeystoreFault, readKeyFile, type SealOptions, sealKey, unsealKey } from './cipher.ts';

/** Real ones have half a kilobyte. */
const MAX_FILE_BYTES = 65_536;
/** A shorter one is guessed in an afternoon, whatever the cipher costs. */
export const MIN_PASSWORD_CHARS = 8;

export interface ImportOptions extends SealOptions {
  readonly path: string;
  readonly privateKey: Hex;
  readonly password: string;
  /** Makes a new file for the owner alone; durable when it resolves, and one that is there is EEXIST; a disk that fails is told in words. */
  readonly createFile: (path: string, text: string) => Promise<void>;
}

/** Durable when it resolves. A file that is there already is refused: it may hold the only copy of a key. */
export async function importKey({
  path,
  privateKey,
  password,
  createFile,
  ...options
}: ImportOptions): Promise<Address> {
  if (password.length < MIN_PASSWORD_CHARS)
    throw new KeystoreFault(`the password is too short; use at least ${MIN_PASSWORD_CHARS} characters`);
  const text = await sealKey(privateKey, password, options);
  await createFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw error instanceof StorageError ? error : new KeystoreFault(writeFault(path, error.code), { cause: error });
  });
  return addressOfKey(privateKey);
}

function writeFault(path: string, code: string | undefined): string {
  if (code === 'EEXIST')
    return `${path} is there already and may hold the only copy of a key; move it away, or name another file with --file`;
  return `${path} cannot be made (${code}); check that its folder exists and can be written`;
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new KeystoreFault(`${path} is too large for a key file; check WALLET_KEYSTORE`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof KeystoreFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new KeystoreFault(
      `the key file ${path} cannot be read (${code}); check WALLET_KEYSTORE, or make it with "signalbox wallet import"`,
      { cause: error },
    );
  }
}

export const openKeystore = async (path: string, password: string): Promise<Hex> =>
  unsealKey(await readText(path), password);

/** Needs no password: key files name their account. */
export async function keystoreAddress(path: string): Promise<Address> {
  const { address } = readKeyFile(await readText(path));
  const digits = address?.replace(/^0x/, '') ?? '';
  if (/^[0-9a-fA-F]{40}$/.test(digits)) return checksumAddress(`0x${digits}`);
  throw new KeystoreFault(`${path} does not name its account; import the key again`);
}
