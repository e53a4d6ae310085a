// POST /backtest/batch begins many backtests, each of a script on a market; GET and DELETE look at them, and end them.

import { Batch, MAX_BATCH_BACKTESTS } from '../../library/search/batch.ts';
import type { LongJobKind } from './long-jobs.ts';
import { refusal } from './refusal.ts';

export const BATCHES: LongJobKind = {
  noun: { one: 'batch', many: 'batches', path: '/backtest/batch' },
  kind: 'backtest-batch',
  async workOf(draft, maxBacktests, marketsOf) {
    if (!('scripts' in draft)) throw new Error('a search was drafted in place of a batch');
    const { scripts, markets } = draft;
    const backtests = scripts.length * markets.length;
    const most = Math.min(maxBacktests, MAX_BATCH_BACKTESTS);
    if (backtests > most)
      throw refusal(
        'INVALID_FIELD',
        `scripts: ${scripts.length} scripts on ${markets.length} markets are ${backtests} backtests, and ${most} are allowed; send fewer of them at once`,
      );
    return { work: new Batch({ ...draft, markets: await marketsOf(markets) }), backtests };
  },
};
