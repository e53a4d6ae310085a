// What real accounts came to beside their paper twins, and what made the gap; nothing where no account has a twin.

import type { Result, TwinReport } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { gainOrLoss, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { venueOf } from '../trades/trade-words.ts';
import type { Chosen } from './chosen.ts';

type Gap = NonNullable<TwinReport['result']>;

const PARTS: Readonly<Record<keyof Gap['parts'], string>> = {
  delay: 'Delay',
  spread: 'Spread',
  impact: 'Impact',
  fees: 'Fees',
  funding: 'Funding',
  partialFill: 'Partial fills',
  refusal: 'Refusals',
  unmarked: 'Not known',
  other: 'Other',
};

export function TwinPanel({ chosen: { mode, exchange, account, from, to } }: { readonly chosen: Chosen }) {
  const { answer } = useAnswer<Result<readonly TwinReport[]>>(
    pathWith('/performance/twin', { exchange, account, from, to }),
    60_000,
  );
  const reports = (answer?.result ?? []).filter((report) => report.mode === mode);
  if (reports.length === 0) return null;
  return (
    <Panel title="Beside the paper twin" aside="USDT; what the real account made less, or more">
      <Table label="Paper twins" columns={COLUMNS} rows={reports} keyOf={venueOf} linkOf={tradesOf} />
    </Panel>
  );
}

const tradesOf = ({ exchange, account, mode }: TwinReport): string =>
  `#/trades?${new URLSearchParams({ exchange, account, mode })}`;

const amount = (value: number | undefined) => <span class={gainOrLoss(value)}>{signed(value)}</span>;

const COLUMNS: readonly Column<TwinReport>[] = [
  { title: 'Account', cell: (report) => <strong>{venueOf(report)}</strong> },
  { title: 'Trades', isNumber: true, cell: ({ trades }) => trades },
  { title: 'Real', isNumber: true, cell: ({ result }) => signed(result?.live) },
  { title: 'Twin', isNumber: true, cell: ({ result }) => signed(result?.twin) },
  { title: 'Gap', isNumber: true, cell: ({ result }) => amount(result?.gap) },
  ...(Object.keys(PARTS) as (keyof Gap['parts'])[]).map(
    (part): Column<TwinReport> => ({
      ...{ title: PARTS[part], isNumber: true, isExtra: true },
      cell: ({ result }) => amount(result?.parts[part]),
    }),
  ),
];
