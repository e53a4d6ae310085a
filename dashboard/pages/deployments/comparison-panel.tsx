// What a deployment filled, fill by fill over the backtest of its script.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Comparison, compare } from '../../server/deployments.ts';
import { Button } from '../../ui/button.tsx';
import { fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { When } from '../../ui/when.tsx';
import { Working } from '../../ui/working.tsx';

interface ComparisonPanelProps {
  readonly scriptKey: string;
  readonly id: string;
}

/** Asked for by hand: each runs the script over all its bars. */
export function ComparisonPanel({ scriptKey, id }: ComparisonPanelProps) {
  const [found, setFound] = useState<Comparison>();
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  const { isBusy, refused, run } = useAction(async () => {
    const ends = new AbortController();
    asking.current = ends;
    // Whoever stops it has seen enough, which is no fault.
    const compared = await compare(scriptKey, id, ends.signal).catch((error) => {
      if (!ends.signal.aborted) throw error;
    });
    if (compared !== undefined) setFound(compared);
  });
  const aside = isBusy ? (
    <Working words="Running it over its bars" onStop={() => asking.current?.abort()} />
  ) : (
    <Button onClick={() => void run()}>Compare</Button>
  );
  return (
    <Panel title="Live over backtest" aside={aside}>
      <RefusedWords words={refused} />
      {found === undefined ? (
        refused === undefined && (
          <p class="empty">Each fill of the script as its backtest has it, beside what was filled.</p>
        )
      ) : (
        <>
          <p class="empty">
            Backtest{' '}
            <strong class={gainOrLoss(found.totals.backtestProfit)}>{signed(found.totals.backtestProfit)}</strong>, live{' '}
            <strong class={gainOrLoss(found.totals.liveProfit)}>{signed(found.totals.liveProfit)}</strong>, slippage{' '}
            {fixed(found.totals.slippageMoney)}, fees {fixed(found.totals.fees)}
          </p>
          {found.fills.length === 0 ? (
            <p class="empty">The script has not filled anything yet, neither here nor there.</p>
          ) : (
            <Table
              label="Live over backtest"
              columns={FILL_COLUMNS}
              rows={found.fills}
              keyOf={({ barTimeMs, orderId, verdict }) => `${barTimeMs} ${orderId} ${verdict}`}
            />
          )}
        </>
      )}
    </Panel>
  );
}

const FILL_COLUMNS: readonly Column<Comparison['fills'][number]>[] = [
  { title: 'Bar', cell: ({ barTimeMs }) => <When atMs={barTimeMs} nowMs={Date.now()} /> },
  { title: 'Order', cell: ({ orderId, expected }) => `${expected?.side ?? ''} ${orderId}` },
  { title: 'Quantity', isNumber: true, cell: ({ expected }) => plain(expected?.quantity) },
  { title: 'Backtest', isNumber: true, cell: ({ expected }) => plain(expected?.price) },
  { title: 'Live', isNumber: true, cell: ({ live }) => plain(live?.price) },
  { title: 'Slippage', isNumber: true, cell: ({ slippageMoney }) => fixed(slippageMoney) },
  { title: 'What became of it', cell: ({ verdict, reason }) => (reason === null ? verdict : `${verdict}: ${reason}`) },
];
