// A payment, a permission, or a call of a contract: written, looked at, and signed after the wallet's own token was given.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Chain, Coin } from './coins.ts';
import { WalletQuestion } from './wallet-question.tsx';
import { type PlannedWrite, plannedWrite, type WriteForm, type WriteKind } from './wallet-writes.ts';

export interface WritePanelProps {
  readonly chain: Chain;
  readonly coins: readonly Coin[];
  readonly canSign: boolean;
  readonly onDone: () => void;
}

const KINDS = [
  ['transfer', 'Transfer'],
  ['approve', 'Approve'],
  ['send', 'Call'],
] as const;
const WORDS: Readonly<Record<WriteKind, readonly [receiver: string, yes: string, title: string]>> = {
  transfer: ['To', 'Transfer', 'Transfer for real?'],
  approve: ['Spender', 'Approve', 'Approve for real?'],
  send: ['To', 'Send', 'Send for real?'],
};
const EMPTY = { to: '', amount: '', data: '' };

export function WritePanel({ chain, coins, canSign, onDone }: WritePanelProps) {
  const [form, setForm] = useState<WriteForm>({ kind: 'transfer', token: 'native', ...EMPTY });
  const [asked, setAsked] = useState<PlannedWrite>();
  const { kind } = form;
  const spendable = kind === 'approve' ? coins.filter(({ token }) => token !== 'native') : coins;
  const token = spendable.some((coin) => coin.token === form.token) ? form.token : (spendable[0]?.token ?? '');
  const planned = plannedWrite(chain, { ...form, token }, coins);
  const [, yes, title] = WORDS[kind];
  const submit = (event: Event): void => {
    event.preventDefault();
    if ('write' in planned) setAsked(planned);
  };
  return (
    <Panel
      title="Transfer, approve, call"
      aside={
        <Choice
          label="What is signed"
          options={KINDS}
          chosen={kind}
          onChoose={(next) => setForm({ ...form, kind: next })}
        />
      }
    >
      <form onSubmit={submit}>
        <WriteFields
          form={{ ...form, token }}
          coins={spendable}
          onChange={(changed) => setForm({ ...form, ...changed })}
        />
        {'fault' in planned && planned.fault !== '' && <p class="fault">{planned.fault}</p>}
        <div class="inside">
          {canSign ? (
            <Button type="submit" disabled={'fault' in planned}>
              {yes}…
            </Button>
          ) : (
            <p class="quiet">This wallet has no key, so it can sign nothing.</p>
          )}
        </div>
      </form>
      {asked !== undefined && (
        <WalletQuestion
          {...{ title, yes, write: asked.write }}
          onDone={() => {
            setForm({ ...form, ...EMPTY });
            onDone();
          }}
          onClose={() => setAsked(undefined)}
        >
          <Facts facts={asked.facts} />
          <p class="lead">
            {asked.words} It is real money, and the fee of the network comes on top. A transaction that would fail is
            not signed.
          </p>
        </WalletQuestion>
      )}
    </Panel>
  );
}

interface WriteFieldsProps {
  readonly form: WriteForm;
  readonly coins: readonly Coin[];
  readonly onChange: (changed: Partial<WriteForm>) => void;
}

function WriteFields({ form: { kind, token, to, amount, data }, coins, onChange }: WriteFieldsProps) {
  if (kind === 'approve' && coins.length === 0)
    return <p class="empty">Add the contract of a token above, to let somebody spend it.</p>;
  const amountHint = kind === 'approve' ? '0 takes the permission away.' : undefined;
  return (
    <div class="swap-line">
      {kind !== 'send' && (
        <ChoiceField
          label="Coin"
          value={token}
          options={coins.map((coin) => [coin.token, coin.symbol] as const)}
          onChoose={(chosen) => onChange({ token: chosen })}
        />
      )}
      <TextField
        label={kind === 'send' ? 'Coin of the chain to send' : kind === 'approve' ? 'At most' : 'How much'}
        hint={amountHint}
        inputMode="decimal"
        value={amount}
        onWrite={(text) => onChange({ amount: text })}
      />
      <TextField label={WORDS[kind][0]} placeholder="0x…" value={to} onWrite={(text) => onChange({ to: text })} />
      {kind === 'send' && (
        <TextField
          label="Encoded call"
          placeholder="0x…, or nothing"
          value={data}
          onWrite={(text) => onChange({ data: text })}
        />
      )}
    </div>
  );
}
