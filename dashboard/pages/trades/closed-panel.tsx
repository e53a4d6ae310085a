// What a trade came to: everything that it has closed, or that was closed of the position it opened, with R and excursions.

import type { ClosedTrade, Result, TradeDetail } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import type { Figure } from '../../ui/figures.tsx';
import { fixed, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { wholeR } from '../performance/average-r.ts';
import { heldFor, Net, RValue } from '../performance/closed-columns.tsx';

/** As many as can be asked for with their excursions at once. */
const MOST = '100';
const EVERY_MS = 30_000;

export function useClosed({ requestId, exchange, account, mode }: TradeDetail): readonly ClosedTrade[] {
  const query = { requestId, exchange, account, mode, limit: MOST, excursions: 'yes' };
  const { answer } = useAnswer<Result<readonly ClosedTrade[]>>(pathWith('/performance/trades', query), EVERY_MS);
  return answer?.result ?? [];
}

/** Nothing while nothing is closed. */
const TITLE = 'What it came to';

export function closedFigures(closed: readonly ClosedTrade[]): readonly Figure[] {
  if (closed.length === 0) return [];
  const r = wholeR(closed);
  const atRisk = closed.reduce((sum, trade) => sum + (trade.atRisk ?? 0), 0);
  return [
    {
      ...{ title: 'R', value: r === undefined ? '–' : signed(r), gain: r },
      words: r === undefined ? 'entered without a stop' : `of ${fixed(atRisk)} at risk`,
      panel: TITLE,
    },
  ];
}

interface ClosedPanelProps {
  readonly trade: TradeDetail;
  readonly closed: readonly ClosedTrade[];
}

export function ClosedPanel({ trade: { requestId }, closed }: ClosedPanelProps) {
  if (closed.length === 0) return null;
  return (
    <Panel title={TITLE} aside="USDT; ahead and behind are before fees">
      <Table
        label="What it came to"
        columns={COLUMNS}
        rows={closed}
        keyOf={({ id }) => id}
        linkOf={(each) => otherEnd(each, requestId)}
      />
    </Panel>
  );
}

/** From an entry to what closed it, and from a close to what it closed. */
function otherEnd(closed: ClosedTrade, requestId: string): string | undefined {
  const other = closed.requestId === requestId ? closed.entryRequestId : closed.requestId;
  return other === null || other === requestId ? undefined : linkTo('trades', other);
}

const COLUMNS: readonly Column<ClosedTrade>[] = [
  { title: 'Closed', cell: ({ closedAt }) => <When atMs={closedAt} nowMs={Date.now()} /> },
  { title: 'Quantity', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Entry', isNumber: true, cell: ({ entryPrice }) => plain(entryPrice) },
  { title: 'Exit', isNumber: true, cell: ({ exitPrice }) => plain(exitPrice) },
  { title: 'Net', isNumber: true, cell: (trade) => <Net trade={trade} /> },
  { title: 'R', isNumber: true, cell: (trade) => <RValue trade={trade} /> },
  { title: 'Behind at most', isNumber: true, cell: ({ mae }) => fixed(mae) },
  { title: 'Ahead at most', isNumber: true, cell: ({ mfe }) => signed(mfe) },
  { title: 'Held', isNumber: true, isExtra: true, cell: heldFor },
];
