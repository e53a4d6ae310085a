// What is held, what it is worth now, what guards it, and how to close it.

import { useState } from 'preact/hooks';
import type { Position } from '../../server/answers.ts';
import { ask, type Refused } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { decimalsOfAll, fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';

export function PositionsPanel({ positions }: { readonly positions: readonly Position[] }) {
  const [closing, setClosing] = useState<Position>();
  return (
    <Panel title="Positions" aside={`${positions.length} open`}>
      {positions.length === 0 ? (
        <p class="empty">Nothing is held. A signal that opens something shows here within a second.</p>
      ) : (
        <Table label="Positions" columns={columnsOf(positions, setClosing)} rows={positions} keyOf={({ key }) => key} />
      )}
      {closing !== undefined && <CloseQuestion position={closing} onClose={() => setClosing(undefined)} />}
    </Panel>
  );
}

function columnsOf(positions: readonly Position[], onClose: (position: Position) => void): readonly Column<Position>[] {
  const decimals = decimalsOfAll(positions.map(({ quantity }) => quantity));
  return [
    {
      title: 'Market',
      cell: ({ market, exchange, account, mode }) => (
        <>
          <strong>{market}</strong>{' '}
          <span class="quiet">
            {exchange}
            {account === 'main' ? '' : `:${account}`}
            {mode === 'paper' ? '' : ` ${mode}`}
          </span>
        </>
      ),
    },
    { title: 'Side', cell: ({ side }) => <Chip tone={side === 'LONG' ? 'up' : 'down'}>{side}</Chip> },
    { title: 'Quantity', isNumber: true, cell: ({ quantity }) => fixed(quantity, decimals) },
    { title: 'Entry', isNumber: true, isExtra: true, cell: ({ entryPrice }) => plain(entryPrice) },
    { title: 'Mark', isNumber: true, cell: ({ markPrice }) => plain(markPrice) },
    {
      title: 'Profit',
      isNumber: true,
      cell: ({ unrealizedPnl }) => <span class={gainOrLoss(unrealizedPnl)}>{signed(unrealizedPnl)}</span>,
    },
    { title: 'Protection', isExtra: true, cell: (position) => <span class="quiet">{guardWords(position)}</span> },
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

function guardWords({ protection }: Position): string {
  if (protection === null) return 'none';
  const { stopLoss, takeProfit, trailPercent, trailAmount } = protection;
  const words = [
    stopLoss !== null && `stop ${plain(stopLoss)}`,
    takeProfit !== null && `target ${plain(takeProfit)}`,
    trailPercent !== null && `trail ${plain(trailPercent)} %`,
    trailAmount !== null && `trail ${plain(trailAmount)}`,
  ];
  return words.filter((word) => word !== false).join(' · ') || 'none';
}

function CloseQuestion({ position, onClose }: { readonly position: Position; readonly onClose: () => void }) {
  const [refused, setRefused] = useState<string>();
  const [isSending, setSending] = useState(false);
  const { key, market, side, quantity, exchange, mode } = position;
  const close = async (): Promise<void> => {
    setSending(true);
    try {
      const { result } = await ask<{ result: readonly { error: string | null }[] }>('/positions/close', {
        ...{ method: 'POST', body: { positions: [key], idempotencyKey: crypto.randomUUID() } },
      });
      const [closed] = result;
      refreshAnswers();
      if (closed?.error) {
        setRefused(closed.error);
        setSending(false);
      } else onClose();
    } catch (error) {
      setRefused((error as Refused).message);
      setSending(false);
    }
  };
  return (
    <Dialog title={`Close ${side} ${market}?`} onClose={onClose}>
      <p>
        {plain(quantity)} at the market on {exchange} ({mode === 'live' ? 'LIVE MONEY' : mode}). Its stops are taken
        away with it.
      </p>
      {refused !== undefined && (
        <p class="refused" role="alert">
          {refused}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" disabled={isSending} onClick={close}>
          Close it
        </Button>
      </div>
    </Dialog>
  );
}
