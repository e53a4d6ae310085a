// The commit of a signal as a step of its trace.

import type { Journal } from '../books/journal.ts';
import { type SignalTrace, traced } from '../signal-trace.ts';

type Accepts = Pick<Journal, 'accept'>;

/** The journal itself where nobody watches. */
export function tracedCommits(journal: Accepts, trace: SignalTrace | undefined): Accepts {
  if (trace === undefined) return journal;
  return {
    accept: (trade, windowMs, further) =>
      traced(trace, trade.requestId, 'commit', () => journal.accept(trade, windowMs, further)),
  };
}
