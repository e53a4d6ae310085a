// A storage that fails is told in the answer with what to do about it, by endpoints that have no words of their own for it.

import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { StorageError, withoutFolders } from '../../trading/storage-error.ts';
import { refused } from './responses.ts';

export type OnStorageFault = (error: unknown, requestId: string) => void;

export function withStorageWords(endpoint: Endpoint, onFault: OnStorageFault): Endpoint {
  const { handler, responses } = endpoint;
  if (handler === undefined) return endpoint;
  return {
    ...endpoint,
    responses: { ...responses, 500: refused('STORAGE_FAILED') },
    async handler(c) {
      try {
        return await handler(c);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        onFault(error, c.var.requestId);
        const words = `the data folder cannot be used: ${withoutFolders(error.message)}`;
        throw new Refusal('STORAGE_FAILED', words, { cause: error });
      }
    },
  };
}
