// Adding an account: its credentials are written once, tried at the venue, sealed, and shown nowhere again.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { isConfidential } from '../../server/confidential.ts';
import type { AddedAccount, NewAccount } from '../../server/setup-answers.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { useVenues } from '../../server/use-venues.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { GuideLink } from '../../ui/guide-link.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { useAction } from '../../ui/use-action.ts';
import { subjectLink } from '../limits/limit-words.ts';
import { nameOf } from './account-rows.ts';
import { Tested } from './test-dialog.tsx';

/** As the server takes it. */
const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const MODES = [
  ['testnet', 'testnet, play money'],
  ['live', 'live, real money'],
] as const;
const POSITION_MODES = [
  ['', 'as it is at the venue'],
  ['one-way', 'one-way'],
  ['hedge', 'hedge'],
] as const;

interface Form {
  readonly exchange: string;
  readonly account: string;
  readonly mode: string;
  /** Empty: as it is at the venue. */
  readonly positionMode: string;
}

const START: Form = { exchange: 'binance', account: 'main', mode: 'testnet', positionMode: '' };

export function AddAccount() {
  const [form, setForm] = useState(START);
  const [added, setAdded] = useState<AddedAccount>();
  const isName = ACCOUNT_NAME.test(form.account);
  return (
    <Panel title="Add an account" aside="credentials go in, and never out">
      <div class="inside">
        <p class="lead">
          Make an API key at the exchange for reading and futures trading,{' '}
          <strong>without the right to withdraw</strong>, locked to the address of this machine. It is tried at the
          venue, sealed in the data folder, and never shown again, here or anywhere.
        </p>
        <AccountFields form={form} isName={isName} onChange={(changed) => setForm({ ...form, ...changed })} />
        {isConfidential(location) ? (
          <Credentials form={form} isName={isName} onAdded={setAdded} />
        ) : (
          <p class="insecure">
            This page came over plain http, where others could read a secret on its way: put TLS before Signalbox (
            <GuideLink guide="security" words="how" />
            ), or add the account on the machine itself.
          </p>
        )}
        {added !== undefined && <Added added={added} />}
        {isName && <OnTheMachine form={form} />}
      </div>
    </Panel>
  );
}

interface AccountFieldsProps {
  readonly form: Form;
  readonly isName: boolean;
  readonly onChange: (changed: Partial<Form>) => void;
}

function AccountFields({ form, isName, onChange }: AccountFieldsProps) {
  const venues = useVenues(form.exchange);
  return (
    <div class="add-line">
      <ChoiceField
        label="Exchange"
        value={form.exchange}
        options={venues.map((venue) => [venue, venue] as const)}
        onChoose={(exchange) => onChange({ exchange })}
      />
      <TextField
        label="Name"
        error={isName ? undefined : 'Small letters, digits, - and _, such as scalp.'}
        value={form.account}
        maxLength={32}
        onWrite={(account) => onChange({ account })}
      />
      <ChoiceField label="Money" value={form.mode} options={MODES} onChoose={(mode) => onChange({ mode })} />
      <ChoiceField
        label="Position mode"
        value={form.positionMode}
        options={POSITION_MODES}
        onChoose={(positionMode) => onChange({ positionMode })}
      />
    </div>
  );
}

interface CredentialsProps {
  readonly form: Form;
  readonly isName: boolean;
  readonly onAdded: (added: AddedAccount | undefined) => void;
}

function Credentials({ form: { positionMode, ...named }, isName, onAdded }: CredentialsProps) {
  const [apiKey, setApiKey] = useState('');
  const [secret, setSecret] = useState('');
  const { isBusy, refused, run } = useAction(async () => {
    onAdded(undefined);
    const body = {
      ...{ ...named, apiKey: apiKey.trim(), secret: secret.trim() },
      ...(positionMode !== '' && { positionMode }),
    } as NewAccount;
    onAdded((await ask<Result<AddedAccount>>('/admin/accounts', { method: 'POST', body })).result);
    setApiKey('');
    setSecret('');
    refreshAnswers();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return (
    <form onSubmit={submit}>
      <div class="add-line">
        <SecretField label="API key" value={apiKey} onWrite={setApiKey} />
        <SecretField label="Secret" hint="Or a private key, pasted whole." value={secret} onWrite={setSecret} />
      </div>
      <RefusedWords words={refused} />
      <Button kind="filled" type="submit" disabled={isBusy || !isName || apiKey.trim() === '' || secret.trim() === ''}>
        {isBusy ? 'Asking the venue…' : 'Test and store'}
      </Button>
    </form>
  );
}

const Added = ({ added }: { readonly added: AddedAccount }) => (
  <section class="added" aria-label="What was stored">
    <p role="status">
      Stored <strong>{nameOf(added)}</strong>, key {added.keyStart}…, sealed with {added.sealedWith}: keep a copy of
      that apart from the data folder.
    </p>
    <p class="next">
      <strong>{added.next}</strong> <a href={subjectLink({ kind: 'account', name: nameOf(added) })}>Set its limits</a>{' '}
      before its first signal: nothing else limits the size of an order. A live account opens nothing before you have
      confirmed it.
    </p>
    <Tested tested={added.tested} />
  </section>
);

const OnTheMachine = ({ form: { exchange, account, mode, positionMode } }: { readonly form: Form }) => (
  <details>
    <summary>On the machine itself instead</summary>
    <CopyBlock
      label="the lines that add an account"
      text={[
        `npx signalbox accounts add ${exchange}:${account} --mode ${mode}${positionMode === '' ? '' : ` --position-mode ${positionMode}`}`,
        `npx signalbox limits set account:${exchange}:${account} --largest-order 500 --leverage 3`,
        `${exchange.toUpperCase()}_MODE=${mode} npm start`,
      ].join('\n')}
    />
  </details>
);
