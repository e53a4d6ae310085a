// Turns a storage failure into 503 with Retry-After, and logs its cause.

import { StorageError } from '../../errors/storage-error.ts';
import type { KitContext } from '../../http/context.ts';
import { refusal } from './refusal.ts';

export type StorageGuard = <T>(c: KitContext, work: Promise<T>) => Promise<T>;

export const RETRY_LATER = { headers: { 'retry-after': '1' } } as const;

/** Told of every failed step, with the id under which the caller can ask about it. */
export type OnFault = (error: unknown, requestId: string) => void;

export const createStorageGuard =
  (onFault: OnFault): StorageGuard =>
  (c, work) =>
    work.catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
      onFault(error, c.var.requestId);
      // The error's own words are for the operator: they name files and servers.
      throw refusal('UNAVAILABLE', 'the storage does not answer just now; try again in a moment', {
        ...RETRY_LATER,
        cause: error,
      });
    });
