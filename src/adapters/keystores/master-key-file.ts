// The key file of the data folder, with which stored credentials are sealed where SIGNALBOX_MASTER_KEY is not set: 32 random bytes.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const MASTER_KEY_FILE = 'master.key';
const KEY_BYTES = 32;
/** Permissions of anybody but the owner. */
const OTHERS = 0o077;
const MAX_FILE_BYTES = 1024;

/** The message holds the remedy, and nothing of the key. */
export class MasterKeyFault extends Error {
  override readonly name = 'MasterKeyFault';
}

/** Undefined where there is none. */
export function readMasterKeyFile(dataDir: string): string | undefined {
  const path = join(dataDir, MASTER_KEY_FILE);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // There a file has other rights than these bits tell.
  if (process.platform !== 'win32' && (stat.mode & OTHERS) !== 0)
    throw new MasterKeyFault(
      `${path} can be read or written by other users of this machine, so it is no secret; say "chmod 600 ${path}", and change ` +
        'the API keys it seals if somebody may have read it',
    );
  const key = stat.size > MAX_FILE_BYTES ? '' : read(path).trim();
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== key)
    throw new MasterKeyFault(
      `${path} holds no master key (${KEY_BYTES} bytes in base64); bring it back from a backup. Without it the stored ` +
        'credentials are lost: remove the file and those accounts, and add them again',
    );
  return key;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MasterKeyFault(`${path} cannot be read (${code}); give it to the user that runs Signalbox`, {
      cause: error,
    });
  }
}

export interface NewKeyFile {
  readonly dataDir: string;
  readonly randomBytes: (size: number) => Buffer;
  /** Makes a file for its owner alone, and fails with EEXIST where there is one. */
  readonly createFile: (path: string, text: string) => Promise<void>;
}

/** Makes the file; where another command was quicker, its key is the one. */
export async function createMasterKeyFile({ dataDir, randomBytes, createFile }: NewKeyFile): Promise<string> {
  const key = randomBytes(KEY_BYTES).toString('base64');
  try {
    await createFile(join(dataDir, MASTER_KEY_FILE), `${key}\n`);
    return key;
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readMasterKeyFile(dataDir) : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  }
}
