// How a closed trade is shown: what it made, in money and in R, and how far it was ahead and behind.

import type { ClosedTrade } from '../../server/answers.ts';
import { Chip } from '../../ui/chip.tsx';
import { fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';
import type { WideColumn } from '../../ui/virtual-table.tsx';
import { When } from '../../ui/when.tsx';
import { venueOf } from '../trades/trade-words.ts';
import { heldWords } from './groups.tsx';

export const storyOf = ({ requestId }: ClosedTrade): string => linkTo('trades', requestId);

/** What it made over what was at risk; nothing where it had no stop. */
export const RValue = ({ trade: { r } }: { readonly trade: Pick<ClosedTrade, 'r'> }) =>
  r === null ? (
    <span class="quiet" title="It was entered without a stop, so there is nothing to measure it by.">
      –
    </span>
  ) : (
    <span class={gainOrLoss(r)}>{signed(r)} R</span>
  );

export const Net = ({ trade: { net } }: { readonly trade: Pick<ClosedTrade, 'net'> }) => (
  <strong class={gainOrLoss(net)}>{signed(net)}</strong>
);

export const heldFor = ({ openedAt, closedAt }: ClosedTrade): string =>
  openedAt === null ? '–' : heldWords(Math.round((closedAt - openedAt) / 1000));

export const CLOSED_COLUMNS: readonly WideColumn<ClosedTrade>[] = [
  {
    ...{ title: 'Closed', width: '122px' },
    cell: (trade) => (
      <a class="lead" href={storyOf(trade)}>
        <When atMs={trade.closedAt} nowMs={Date.now()} />
      </a>
    ),
  },
  { title: 'Market', width: '88px', cell: ({ market }) => <strong>{market}</strong> },
  {
    ...{ title: 'Side', width: '64px' },
    cell: ({ side }) => <Chip tone={side === 'LONG' ? 'up' : 'down'}>{side}</Chip>,
  },
  { title: 'Quantity', width: '64px', isNumber: true, isExtra: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Entry', width: '80px', isNumber: true, isExtra: true, cell: ({ entryPrice }) => plain(entryPrice) },
  { title: 'Exit', width: '80px', isNumber: true, isExtra: true, cell: ({ exitPrice }) => plain(exitPrice) },
  { title: 'Net, USDT', width: '84px', isNumber: true, cell: (trade) => <Net trade={trade} /> },
  { title: 'R', width: '76px', isNumber: true, cell: (trade) => <RValue trade={trade} /> },
  { title: 'Behind', width: '72px', isNumber: true, cell: ({ mae }) => fixed(mae) },
  { title: 'Ahead', width: '72px', isNumber: true, cell: ({ mfe }) => signed(mfe) },
  { title: 'Held', width: '64px', isNumber: true, isExtra: true, cell: heldFor },
  {
    ...{ title: 'From', width: 'minmax(96px, 1fr)', isExtra: true },
    cell: (trade) => (
      <span class="quiet" title={`${trade.strategy ?? trade.keyLabel}, ${venueOf(trade)}`}>
        {trade.strategy ?? trade.keyLabel}, {venueOf(trade)}
      </span>
    ),
  },
];
