// Key files on disk: written once and for the owner alone, read whole, never overwritten.

import { open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checksumAddress } from '../../../wallet/address.ts';
import type { Address, Hex } from '../../../wallet/chain.ts';
import { addressOfKey } from '../../../wallet/private-key.ts';
import { KeystoreFault, readKeyFile, type SealOptions, sealKey, unsealKey } from './cipher.ts';

const OWNER_ONLY = 0o600;
/** Real ones have half a kilobyte. */
const MAX_FILE_BYTES = 65_536;
/** A shorter one is guessed in an afternoon, whatever the cipher costs. */
export const MIN_PASSWORD_CHARS = 8;

export interface ImportOptions extends SealOptions {
  readonly path: string;
  readonly privateKey: Hex;
  readonly password: string;
}

/** Durable when it resolves. A file that is there already is refused: it may hold the only copy of a key. */
export async function importKey({ path, privateKey, password, ...options }: ImportOptions): Promise<Address> {
  if (password.length < MIN_PASSWORD_CHARS)
    throw new KeystoreFault(`the password is too short; use at least ${MIN_PASSWORD_CHARS} characters`);
  const text = await sealKey(privateKey, password, options);
  const file = await open(path, 'wx', OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
    throw new KeystoreFault(writeFault(path, error.code), { cause: error });
  });
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw new KeystoreFault(`${path} could not be written; check the disk and free space`, { cause: error });
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
  return addressOfKey(privateKey);
}

/** The name of a new file is in its folder: without this a power cut may take it away. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
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
