// Every transaction the wallet has made on a chain, newest first, followed until it is confirmed.

import { useEffect } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { WalletTransaction } from '../../server/setup-answers.ts';
import { useAsked } from '../../server/use-asked.ts';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import type { Chain } from './coins.ts';
import { fromUnits } from './units.ts';

/** A block takes longer than this on every chain there is. */
const EVERY_MS = 5_000;

export function TransactionsPanel({ chain }: { readonly chain: Chain }) {
  const { answer, refused, again } = useAsked<Result<readonly WalletTransaction[]>>('/wallet/transactions', {
    ...{ method: 'POST', body: { chain, limit: 50 } },
  });
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (answer === undefined) return <Unanswered title="Transactions" refused={refused} />;
  const rows = answer.result;
  return (
    <Panel title="Transactions" aside={rows.length === 50 ? 'the last 50' : undefined}>
      <RefusedWords words={refused?.message} />
      {rows.length === 0 && <p class="empty">This wallet has sent nothing on {chain} yet.</p>}
      {rows.length > 0 && (
        <Table label="Transactions" columns={COLUMNS} rows={rows} keyOf={({ requestId }) => requestId} />
      )}
    </Panel>
  );
}

const TONES: Readonly<Record<WalletTransaction['status'], Tone>> = {
  ...{ Pending: 'accent', Confirmed: 'up', Reverted: 'down', Replaced: 'warn', Dropped: 'plain' },
};

const COLUMNS: readonly Column<WalletTransaction>[] = [
  { title: 'Time', cell: ({ createdAt }) => <When atMs={createdAt} nowMs={Date.now()} /> },
  { title: 'What', cell: ({ operation }) => <strong>{operation}</strong> },
  {
    title: 'State',
    cell: ({ status, confirmations, confirmationsNeeded, error }) => (
      <Chip tone={TONES[status]} title={error ?? undefined}>
        {status === 'Pending' && confirmations > 0
          ? `${confirmations} of ${confirmationsNeeded} blocks`
          : status.toLowerCase()}
      </Chip>
    ),
  },
  { title: 'Coin sent', isNumber: true, cell: ({ valueWei }) => fromUnits(valueWei, 18) },
  {
    title: 'Fee',
    isNumber: true,
    isExtra: true,
    cell: ({ feeWei }) => (feeWei === null ? '–' : fromUnits(feeWei, 18)),
  },
  { title: 'To', isExtra: true, cell: ({ to }) => <code title={to}>{short(to)}</code> },
  { title: 'Hash', cell: ({ hash }) => (hash === null ? '–' : <code title={hash}>{short(hash)}</code>) },
];

const short = (hex: string): string => `${hex.slice(0, 8)}…${hex.slice(-4)}`;
