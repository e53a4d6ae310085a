// Each account with its money, its key and its state; testing it, and the owner's word for real money.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { AccountCheck } from '../../server/setup-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { fixed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { subjectLink } from '../limits/limit-words.ts';
import { type AccountRow, keyWords, nameOf, stateOf } from './account-rows.ts';
import { ConfirmLive } from './confirm-live.tsx';
import { RemoveAccount } from './remove-account.tsx';
import { TestDialog } from './test-dialog.tsx';

type Asking = 'test' | 'confirm' | 'remove';

export function AccountsPanel({ rows }: { readonly rows: readonly AccountRow[] }) {
  const [asking, setAsking] = useState<{ readonly what: Asking; readonly row: AccountRow }>();
  const [removed, setRemoved] = useState<string>();
  const [checks, setChecks] = useState<readonly AccountCheck[]>();
  const { isBusy, refused, run } = useAction(async () => {
    const { result } = await ask<Result<readonly AccountCheck[]>>('/admin/accounts/check', {
      ...{ method: 'POST', effect: 'none', body: { live: true }, withinMs: SLOW_WITHIN_MS },
    });
    setChecks(result);
  });
  const hasVenues = rows.some(({ credentialsFrom }) => credentialsFrom !== 'none');
  const waiting = rows.filter(({ off }) => off !== '');
  return (
    <Panel
      title="Accounts"
      aside={
        hasVenues && (
          <Button isSmall disabled={isBusy} onClick={run}>
            {isBusy ? 'Asking the venues…' : 'Check all'}
          </Button>
        )
      }
    >
      <Table
        label="Accounts"
        columns={[...COLUMNS, actions((what, row) => setAsking({ what, row }))]}
        rows={rows}
        keyOf={({ id }) => id}
      />
      {waiting.length > 0 && (
        <ul class="reasons">
          {waiting.map(({ id, off, ...row }) => (
            <li key={id}>
              <strong>{nameOf(row)}</strong> {off}
            </li>
          ))}
        </ul>
      )}
      {removed !== undefined && (
        <p class="notice" role="status">
          {removed}
        </p>
      )}
      <RefusedWords words={refused} />
      {checks !== undefined && <Checks checks={checks} />}
      {asking?.what === 'test' && <TestDialog of={asking.row} onClose={() => setAsking(undefined)} />}
      {asking?.what === 'confirm' && <ConfirmLive of={asking.row} onClose={() => setAsking(undefined)} />}
      {asking?.what === 'remove' && (
        <RemoveAccount of={asking.row} onRemoved={setRemoved} onClose={() => setAsking(undefined)} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<AccountRow>[] = [
  { title: 'Account', cell: (row) => <strong>{nameOf(row)}</strong> },
  { title: 'Money', cell: ({ mode }) => <MoneyChip mode={mode}>{mode.toUpperCase()}</MoneyChip> },
  { title: 'State', cell: (row) => <StateChip row={row} /> },
  { title: 'Position mode', cell: ({ positionMode }) => positionMode ?? '–' },
  { title: 'Balance, USDT', isNumber: true, cell: ({ balance }) => fixed(balance) },
  { title: 'API key', cell: (row) => <span class="quiet">{keyWords(row)}</span> },
];

const actions = (ask: (what: Asking, row: AccountRow) => void): Column<AccountRow> => ({
  title: 'Look at it',
  isNumber: true,
  cell: (row) => (
    <span class="row-buttons">
      <a
        class="button small"
        href={subjectLink({ kind: 'account', name: nameOf(row) })}
        aria-label={`Limits of ${nameOf(row)}`}
      >
        Limits
      </a>
      {row.isUnconfirmed && row.off === '' && (
        <Button kind="danger" isSmall label={`Confirm ${nameOf(row)}`} onClick={() => ask('confirm', row)}>
          Confirm…
        </Button>
      )}
      {row.credentialsFrom !== 'none' && (
        <Button isSmall label={`Test ${nameOf(row)}`} onClick={() => ask('test', row)}>
          Test
        </Button>
      )}
      {row.credentialsFrom === 'stored' && (
        <Button isSmall label={`Remove ${nameOf(row)}`} onClick={() => ask('remove', row)}>
          Remove…
        </Button>
      )}
    </span>
  ),
});

function StateChip({ row }: { readonly row: AccountRow }) {
  const [words, tone] = stateOf(row);
  return <Chip tone={tone}>{words}</Chip>;
}

const CHECK_TONES: Readonly<Record<AccountCheck['ok'], readonly [word: string, tone: Tone]>> = {
  ok: ['well', 'up'],
  warn: ['look at it', 'warn'],
  fail: ['wrong', 'down'],
};

const Checks = ({ checks }: { readonly checks: readonly AccountCheck[] }) => (
  <ul class="checks" aria-label="What was found">
    {checks.map(({ name, ok, detail, remedy }) => (
      <li key={`${name} ${detail}`}>
        <Chip tone={CHECK_TONES[ok][1]}>{CHECK_TONES[ok][0]}</Chip>
        <div>
          {detail}
          {remedy !== undefined && <p class="quiet">{remedy}</p>}
        </div>
      </li>
    ))}
  </ul>
);
