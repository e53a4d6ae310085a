// /reconciliation: how our books and the venues agree on accounts that others can trade on, too; and comparing them now.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Reconciler } from '../../trading/execution/reconciler.ts';
import type { Difference, Reconciliation } from '../../trading/execution/reconciliation.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const differenceSchema = z.object({
  kind: described(
    z.enum(['position', 'order-ended', 'order-unknown', 'order-foreign', 'balance']),
    'What differs: a position, an order of ours that has ended, an order with our prefix that our books do not have, an order of somebody else, or the balance',
  ),
  outcome: described(
    z.enum(['adopted', 'told', 'open']),
    'adopted: our books say now what the venue says; told: nothing was changed, look at it; open: looked at again at the next comparison',
  ),
  market: z.string().nullable(),
  detail: z.string(),
});

export const reconciliationSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string(),
  mode: z.enum(['testnet', 'live']),
  agrees: described(z.boolean(), 'The latest comparison was made and found no difference'),
  comparedAt: described(z.number().nullable(), 'When the last comparison ended, in ms; null before the first'),
  error: described(z.string().nullable(), 'Why the latest comparison could not be made'),
  positions: described(z.number(), 'How many positions the venue had then'),
  orders: described(z.number(), 'How many orders rested there then'),
  differences: described(z.array(differenceSchema), 'Of the last comparison'),
  earlier: described(
    z.array(differenceSchema.extend({ at: z.number() })),
    'Of comparisons before it since the start, the newest first, at most 50',
  ),
});

export interface ReconciliationDeps {
  /** Undefined where no account is shared with others. */
  readonly reconciler: Pick<Reconciler, 'list' | 'reconcileNow'> | undefined;
  /** False while nothing is traded: then nothing is compared either. */
  readonly isTrading: boolean;
}

const RESPONSES = {
  ...ok('Testnet and live accounts; none where all are on paper', z.array(reconciliationSchema)),
  400: refused('INVALID_QUERY'),
};

export const reconciliationEndpoints = ({ reconciler, isTrading }: ReconciliationDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/reconciliation',
    summary: 'How our books and the venues agree, as last compared',
    tags: ['Trades'],
    responses: RESPONSES,
    handler(c) {
      readQuery(c, NO_QUERY);
      const result = (reconciler?.list() ?? []).map(reconciliationView);
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
  {
    method: 'post',
    path: '/reconciliation',
    summary: 'Compare our books with the venues now',
    tags: ['Trades'],
    responses: { ...RESPONSES, 503: refused('NOT_TRADING') },
    async handler(c) {
      if (!isTrading)
        throw new Refusal('NOT_TRADING', 'Signalbox is not running here, so nothing was compared; start it first');
      const result = ((await reconciler?.reconcileNow()) ?? []).map(reconciliationView);
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

function reconciliationView(of: Reconciliation): z.infer<typeof reconciliationSchema> {
  const { exchange, account, last, error = null, earlier } = of;
  const differences = last?.differences ?? [];
  return {
    ...{ exchange, account, mode: of.mode === 'live' ? 'live' : 'testnet' },
    agrees: last !== undefined && error === null && differences.length === 0,
    comparedAt: last?.atMs ?? null,
    error,
    positions: last?.positions ?? 0,
    orders: last?.orders ?? 0,
    differences: differences.map(differenceView),
    earlier: earlier.map(({ atMs, ...difference }) => ({ ...differenceView(difference), at: atMs })),
  };
}

const differenceView = ({ kind, outcome, market, detail }: Difference): z.infer<typeof differenceSchema> => ({
  ...{ kind, outcome, market: market ?? null, detail },
});
