// What the gateway and its query process say to each other, one statement at a time, every message answered by one.
//
//   First comes what the process needs to know; it answers `ready`.
//   Before an outcome come the pieces of its results, each in a message of its own.
//   statement → outcome                                  a query, or whatever was declined
//   statement → write-wanted, go → ran, commit → outcome a write: it waits for its turn, runs, and waits for the word to
//                                                        commit, so that a write that was given up is never committed

import type { QueryDeclined, QueryDone, QueryValue } from '../../../../trading/books/data-query.ts';
import type { RowLimits } from './encode-rows.ts';

/** An engine's thread for statements. */
export interface QueryEngine {
  /** The file of the thread. */
  readonly thread: string;
  /** What the thread needs to find its database. */
  readonly database: unknown;
}

export interface QueryTimes {
  readonly readMs: number;
  /** A write may hold the journal up for as long as it runs. */
  readonly writeMs: number;
}

/** What to do about a statement that has used up its time. */
export const NARROW_IT = 'narrow it with WHERE and LIMIT, or join on indexed columns';
export const CHANGE_LESS = 'nothing was changed; change fewer rows at a time';

export type QueryRequest =
  | {
      readonly type: 'statement';
      readonly query: string;
      readonly params: readonly QueryValue[];
      readonly limits: RowLimits & QueryTimes;
    }
  | { readonly type: 'go' | 'commit' };

/** The database itself failed; nothing was changed. */
export interface QueryFailed {
  readonly kind: 'failed';
  readonly reason: string;
}

export type Ran = QueryDone | QueryDeclined | QueryFailed;

export type Report =
  | { readonly type: 'ready' | 'write-wanted' | 'ran' }
  | { readonly type: 'piece'; readonly json: Uint8Array }
  /** After its last word the process ends itself. */
  | { readonly type: 'outcome' | 'last-word'; readonly outcome: Ran };
