// Why a write was not carried out, as it crosses from the writer's thread.

import { FencedError, StorageError, UnknownOutcomeError } from '../../../../errors/storage-error.ts';

const ERRORS = { failed: StorageError, unknown: UnknownOutcomeError, fenced: FencedError } as const;

export interface WriteFault {
  readonly kind: keyof typeof ERRORS;
  readonly error: string;
}

export function writeFaultOf(error: Error): WriteFault {
  const kind = error instanceof FencedError ? 'fenced' : error instanceof UnknownOutcomeError ? 'unknown' : 'failed';
  return { kind, error: error.message };
}

export const errorOf = ({ kind, error }: WriteFault): StorageError => new ERRORS[kind](error);
