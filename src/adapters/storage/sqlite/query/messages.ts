// What the gateway and its query process say to each other, one statement at a time, every message answered by one.
//
//   Before an outcome come the pieces of its results, each in a message of its own.
//   statement → outcome                                  a query, or whatever was declined
//   statement → write-wanted, go → ran, commit → outcome a write: it waits for its turn, runs, and waits for the word to
//                                                        commit, so that a write that was given up is never committed

import type { QueryValue } from '../../../../trading/books/data-query.ts';
import type { RowLimits } from './encode-rows.ts';
import type { Ran } from './run-statement.ts';

export type QueryRequest =
  | {
      readonly type: 'statement';
      readonly query: string;
      readonly params: readonly QueryValue[];
      readonly limits: RowLimits;
    }
  | { readonly type: 'go' | 'commit' };

export type Report =
  | { readonly type: 'ready' | 'write-wanted' | 'ran' }
  | { readonly type: 'piece'; readonly json: Uint8Array }
  /** After its last word the process ends itself. */
  | { readonly type: 'outcome' | 'last-word'; readonly outcome: Ran };
