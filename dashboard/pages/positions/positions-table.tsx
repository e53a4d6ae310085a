// What is held, what it is worth now and what guards it, as a table: short on the overview, whole on its own page.

import { useState } from 'preact/hooks';
import type { Position } from '../../server/answers.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { decimalsOfAll, fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { PositionGuards } from '../protection/guards.tsx';
import { shortStrategy } from '../protection/shares.ts';
import { venueOf } from '../trades/trade-words.ts';
import { CloseQuestion } from './close-question.tsx';
import './positions.css';

interface PositionsTableProps {
  readonly positions: readonly Position[];
  /** With margin and liquidation. */
  readonly isWhole?: boolean;
}

export function PositionsTable({ positions, isWhole = false }: PositionsTableProps) {
  const [closing, setClosing] = useState<Position>();
  if (positions.length === 0)
    return <p class="empty">Nothing is held. A signal that opens something shows here within a second.</p>;
  // As it is now; one that is gone stays as it was last, until it is known what became of its close.
  const asked = closing && (positions.find(({ key }) => key === closing.key) ?? closing);
  return (
    <>
      <Table
        label="Positions"
        columns={columnsOf(positions, isWhole, setClosing)}
        rows={positions}
        keyOf={({ key }) => key}
        linkOf={({ key }) => linkTo('positions', key)}
      />
      {asked !== undefined && <CloseQuestion position={asked} onClose={() => setClosing(undefined)} />}
    </>
  );
}

export const sideChip = (side: Position['side']) => <Chip tone={side === 'LONG' ? 'up' : 'down'}>{side}</Chip>;

function columnsOf(
  positions: readonly Position[],
  isWhole: boolean,
  onClose: (position: Position) => void,
): readonly Column<Position>[] {
  const decimals = decimalsOfAll(positions.map(({ quantity }) => quantity));
  const whole: readonly Column<Position>[] = [
    { title: 'Margin, USDT', isNumber: true, isExtra: true, cell: ({ margin }) => fixed(margin) },
    { title: 'Liquidation', isNumber: true, isExtra: true, cell: ({ liquidationPrice }) => plain(liquidationPrice) },
    { title: 'Shares', isExtra: true, cell: (position) => <Shares position={position} /> },
  ];
  return [
    {
      title: 'Market',
      cell: ({ market, exchange, account, mode }) => (
        <span>
          <strong>{market}</strong>{' '}
          <span class="quiet">
            {venueOf({ exchange, account })}
            {mode === 'paper' ? '' : ` ${mode}`}
          </span>
        </span>
      ),
    },
    { title: 'Side', cell: ({ side }) => sideChip(side) },
    { title: 'Quantity', isNumber: true, cell: ({ quantity }) => fixed(quantity, decimals) },
    { title: 'Entry', isNumber: true, isExtra: true, cell: ({ entryPrice }) => plain(entryPrice) },
    { title: 'Mark', isNumber: true, cell: ({ markPrice }) => plain(markPrice) },
    {
      title: 'Profit, USDT',
      isNumber: true,
      cell: ({ unrealizedPnl }) => <span class={gainOrLoss(unrealizedPnl)}>{signed(unrealizedPnl)}</span>,
    },
    ...(isWhole ? whole : []),
    {
      title: 'Protection',
      cell: (position) => <PositionGuards position={position} />,
    },
    {
      title: 'Close it',
      isNumber: true,
      cell: (position) => (
        <Button isSmall label={`Close ${position.side} ${position.market}`} onClick={() => onClose(position)}>
          Close
        </Button>
      ),
    },
  ];
}

/** A name may be written from right to left; the quantity stands behind it all the same, and the side where it is the other one. */
const Shares = ({ position }: { readonly position: Position }) => (
  <span class="shares quiet">
    {position.strategies.length === 0 && '–'}
    {position.strategies.map(({ strategy, side, quantity }, index) => (
      <span key={strategy ?? ''}>
        {index > 0 && ', '}
        <bdi title={strategy ?? undefined}>{shortStrategy(strategy ?? 'no strategy')}</bdi>{' '}
        {side !== position.side && `${side} `}
        {plain(quantity)}
      </span>
    ))}
  </span>
);
