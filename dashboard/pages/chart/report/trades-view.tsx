// The trades of a strategy, the newest first: a press puts one in view on the chart, and all of them go into a file.

import { useMemo, useState } from 'preact/hooks';
import { decimalsOfPrices } from '../../../../src/chart/painting.ts';
import type { AnswerTrade, BarColumns, StrategyAnswer } from '../../../../src/pine/light.ts';
import { barTime, isByDay } from '../../../chart/bar-times.ts';
import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { saveFile } from '../../../ui/csv.ts';
import { decimalsOfAll, fixed, gainOrLoss, percent, signed } from '../../../ui/numbers.ts';
import { inUtc } from '../../../ui/times.ts';
import { VirtualTable, type WideColumn } from '../../../ui/virtual-table.tsx';
import { currencyOf } from './report-figures.ts';
import './trades-view.css';

export interface TradesViewProps {
  readonly strategy: StrategyAnswer;
  readonly bars: BarColumns;
  readonly name: string;
  /** Undefined where the strategy was started anew meanwhile. */
  readonly csv: () => Promise<string | undefined>;
  readonly onShow: (trade: AnswerTrade) => void;
}

interface Row {
  /** As the report counts them, from 1. */
  readonly number: number;
  readonly trade: AnswerTrade;
}

type Side = 'all' | 'long' | 'short';
const SIDES = [
  ['all', 'All'],
  ['long', 'Long'],
  ['short', 'Short'],
] as const;
/** More digits of a quantity are those of a division. */
const MOST_DECIMALS = 6;

export function TradesView({ strategy, bars, name, csv, onShow }: TradesViewProps) {
  const [side, setSide] = useState<Side>('all');
  const [isLost, setLost] = useState(false);
  const rows = useMemo(() => rowsOf(strategy, side), [strategy, side]);
  const columns = useMemo(() => columnsOf(strategy, bars, onShow), [strategy, bars]);
  const save = async (): Promise<void> => {
    const text = await csv();
    setLost(text === undefined);
    if (text !== undefined) saveFile(`${name.replaceAll(/[^\w-]+/g, '-')}-trades.csv`, text);
  };
  if (strategy.trades.length === 0) return <p class="no-trades">The strategy made no trades on these bars.</p>;
  return (
    <div class="trades-view">
      <div class="trades-bar">
        <Choice label="Direction" options={SIDES} chosen={side} onChoose={setSide} />
        <Button isSmall onClick={() => void save()}>
          Save as CSV
        </Button>
        <span class="quiet" role="status">
          {isLost && 'The strategy runs again just now; try once more.'}
        </span>
      </div>
      <VirtualTable
        label="Trades of the strategy"
        columns={columns}
        rows={rows}
        keyOf={({ number }) => String(number)}
        card={(row) => <Card row={row} when={whenOf(bars)} onShow={onShow} />}
      />
    </div>
  );
}

const rowsOf = ({ trades }: StrategyAnswer, side: Side): readonly Row[] =>
  trades
    .map((trade, index) => ({ number: index + 1, trade }))
    .filter(({ trade }) => side === 'all' || trade.direction === side)
    .toReversed();

const share = (value: number | null): string => percent(value === null ? null : value / 100);

interface ShowProps {
  readonly row: Row;
  readonly onShow: (trade: AnswerTrade) => void;
}

const ShowButton = ({ row: { number, trade }, onShow }: ShowProps) => (
  <button type="button" class="lead" aria-label={`Show trade ${number} on the chart`} onClick={() => onShow(trade)}>
    {number}
  </button>
);

/** The bar of a fill, named as the chart names it. */
const whenOf = (bars: BarColumns) => (atMs: number) => (
  <time class="mono" dateTime={new Date(atMs).toISOString()} title={inUtc(atMs)}>
    {barTime(atMs, isByDay(bars))}
  </time>
);

const Open = () => <Chip tone="accent">open</Chip>;

const Card = ({ row, when, onShow }: ShowProps & { readonly when: ReturnType<typeof whenOf> }) => {
  const { direction, entry_time, exit_time, profit, profit_percent } = row.trade;
  return (
    <>
      <span>
        <ShowButton row={row} onShow={onShow} /> {direction} {exit_time === null && <Open />}
      </span>
      <strong class={gainOrLoss(profit)}>{signed(profit)}</strong>
      {when(entry_time)}
      <span class="quiet">{share(profit_percent)}</span>
    </>
  );
};

function columnsOf(
  strategy: StrategyAnswer,
  bars: BarColumns,
  onShow: (trade: AnswerTrade) => void,
): readonly WideColumn<Row>[] {
  const { trades } = strategy;
  const currency = currencyOf(strategy);
  const when = whenOf(bars);
  const priceDecimals = decimalsOfPrices(bars.close, bars.count);
  const quantityDecimals = Math.min(MOST_DECIMALS, decimalsOfAll(trades.map(({ qty }) => qty)));
  const money = (title: string, of: (trade: AnswerTrade) => number | null, isExtra = false): WideColumn<Row> => ({
    ...{ title: `${title}, ${currency}`, width: '1fr', isNumber: true, isExtra },
    cell: ({ trade }) => <span class={gainOrLoss(of(trade))}>{signed(of(trade))}</span>,
  });
  return [
    { title: 'Trade', width: '44px', cell: (row) => <ShowButton row={row} onShow={onShow} /> },
    { title: 'Direction', width: '60px', cell: ({ trade }) => trade.direction },
    { title: 'Entry', width: '128px', cell: ({ trade }) => when(trade.entry_time) },
    {
      ...{ title: 'At', width: '1fr', isNumber: true },
      cell: ({ trade }) => fixed(trade.entry_price, priceDecimals),
    },
    {
      ...{ title: 'Exit', width: '128px' },
      cell: ({ trade }) => (trade.exit_time === null ? <Open /> : when(trade.exit_time)),
    },
    {
      ...{ title: 'Out at', width: '1fr', isNumber: true },
      cell: ({ trade }) => fixed(trade.exit_price, priceDecimals),
    },
    {
      ...{ title: 'Quantity', width: '1fr', isNumber: true, isExtra: true },
      cell: ({ trade }) => fixed(trade.qty, quantityDecimals),
    },
    money('Profit', ({ profit }) => profit),
    {
      ...{ title: 'Profit, %', width: '0.8fr', isNumber: true },
      cell: ({ trade }) => <span class={gainOrLoss(trade.profit)}>{share(trade.profit_percent)}</span>,
    },
    money('Run-up', ({ runup }) => runup, true),
    money('Drawdown', ({ drawdown }) => drawdown, true),
  ];
}
