// Remembers which databases this process has found damaged. Most pages of such a file can still be read and written, so a
// probe that writes one row would go on saying that all is well.

import type { StorageError } from '../../errors/storage-error.ts';

/** By its name, until it is opened anew: what is there then may be a backup. */
const found = new Map<string, StorageError>();

export function rememberDamage(path: string, error: StorageError): void {
  if (!found.has(path)) found.set(path, error);
}

/** For probes. Throws what was found when the damaged part was last asked for. */
export function assertNoDamageFound(path: string): void {
  const error = found.get(path);
  if (error !== undefined) throw error;
}

export const forgetDamage = (path: string): void => void found.delete(path);
