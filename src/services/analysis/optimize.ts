// POST /optimize begins a search over the inputs of a strategy; GET and DELETE look at it, and end it.

import { checkedBacktests, SearchFault, type SearchPlan } from '../../library/search/search-plan.ts';
import { searchWork } from '../../library/search/search-work.ts';
import type { LongJobKind } from './long-jobs.ts';
import { refusal } from './refusal.ts';

export const SEARCHES: LongJobKind = {
  noun: { one: 'search', many: 'searches', path: '/optimize' },
  kind: 'optimize',
  async workOf(draft, maxBacktests, marketsOf) {
    if ('scripts' in draft) throw new Error('a batch was drafted in place of a search');
    // Before bars are fetched for nothing: how many windows there are is only known with them.
    checked({ ...draft, walkForward: undefined }, maxBacktests);
    const plan = { ...draft, markets: await marketsOf(draft.markets) };
    return { work: searchWork(plan), backtests: checked(plan, maxBacktests) };
  },
};

function checked(plan: SearchPlan, maxBacktests: number): number {
  try {
    return checkedBacktests(plan, maxBacktests);
  } catch (error) {
    if (error instanceof SearchFault) throw refusal('INVALID_FIELD', `vary: ${error.message}`);
    throw error;
  }
}
