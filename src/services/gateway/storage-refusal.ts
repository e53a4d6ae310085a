// A storage that fails is told in the answer: what was asked for has not happened, or nobody knows, and what to do about it.

import {
  OvertakenError,
  StorageError,
  UnknownOutcomeError,
  UnseenChangeError,
  withoutFolders,
} from '../../errors/storage-error.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type Responses, refused } from './responses.ts';

export type OnStorageFault = (error: unknown, requestId: string) => void;

/** What has become of the thing that was asked for. */
export interface StorageWords {
  readonly failed: string;
  readonly unknown: string;
}

/** For endpoints that have no words of their own. */
export const FOLDER_WORDS: StorageWords = {
  failed: 'the data folder cannot be used',
  unknown: 'the data folder cannot be used, and it is not known whether the change is stored',
};

/** For a change that is one step, and in memory only when it is stored. */
export const CHANGE_WORDS: StorageWords = {
  failed: 'nothing was changed',
  unknown:
    'nothing was changed for now, but it is not known whether the next start finds the change; make it again when storage works',
};

/** For a close of positions: all of them are accepted, or none. */
export const CLOSE_WORDS: StorageWords = {
  failed: 'nothing was closed',
  unknown: 'it is not known whether the close was accepted; GET /trades tells it when storage works again',
};

const UNSEEN = 'the change is stored and in force within seconds, but could not be read back yet';

/** Errors that are not about storage stay as they are. */
export function storageRefusal(error: unknown, words: StorageWords): unknown {
  if (!(error instanceof StorageError)) return error;
  const isUnknown = error instanceof UnknownOutcomeError;
  const isUnseen = error instanceof UnseenChangeError;
  const outcome = isUnseen ? UNSEEN : isUnknown ? words.unknown : words.failed;
  const text = `${outcome}: ${withoutFolders(error.message)}`;
  const failed = error instanceof OvertakenError ? 'TRY_AGAIN' : 'STORAGE_FAILED';
  return new Refusal(isUnknown ? 'STORAGE_UNKNOWN' : failed, text, { cause: error });
}

const UNREAD: Responses = { 500: refused('STORAGE_FAILED') };
const UNWRITTEN: Responses = { 500: refused('STORAGE_FAILED, STORAGE_UNKNOWN'), 503: refused('TRY_AGAIN') };

export function withStorageWords(endpoint: Endpoint, onFault: OnStorageFault, words = FOLDER_WORDS): Endpoint {
  const { handler, responses, method } = endpoint;
  if (handler === undefined) return endpoint;
  return {
    ...endpoint,
    responses: { ...(method === 'get' ? UNREAD : UNWRITTEN), ...responses },
    async handler(c) {
      try {
        return await handler(c);
      } catch (error) {
        if (error instanceof StorageError) onFault(error, c.var.requestId);
        throw storageRefusal(error, words);
      }
    },
  };
}
