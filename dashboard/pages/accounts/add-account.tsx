// How an account is added: on the machine itself, so that its secret never passes through a browser.

import { useState } from 'preact/hooks';
import type { Health } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';

/** As the command line takes it. */
const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function AddAccount() {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const [exchange, setExchange] = useState('binance');
  const [name, setName] = useState('main');
  const [mode, setMode] = useState('testnet');
  const isName = ACCOUNT_NAME.test(name);
  const lines = [
    `npx signalbox accounts add ${exchange}:${name} --mode ${mode}`,
    `npx signalbox limits set account:${exchange}:${name} --largest-order 500 --leverage 3`,
    `${exchange.toUpperCase()}_MODE=${mode} npm start`,
  ];
  return (
    <Panel title="Add an account" aside="on the machine itself">
      <div class="inside">
        <p class="lead">
          Make an API key at the exchange for reading and futures trading,{' '}
          <strong>without the right to withdraw</strong>, locked to the address of this machine. The first line asks for
          it and seals it in the data folder: credentials are written once and never shown again, here or anywhere.
        </p>
        <div class="add-line">
          <Field label="Exchange">
            {(tied) => (
              <select {...tied} value={exchange} onChange={(event) => setExchange(event.currentTarget.value)}>
                {Object.keys(health?.venues ?? { binance: '' }).map((venue) => (
                  <option key={venue}>{venue}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Name" error={isName ? undefined : 'Small letters, digits, - and _, such as scalp.'}>
            {(tied) => (
              <input {...tied} value={name} maxLength={32} onInput={(event) => setName(event.currentTarget.value)} />
            )}
          </Field>
          <Field label="Money">
            {(tied) => (
              <select {...tied} value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
                <option value="testnet">testnet, play money</option>
                <option value="live">live, real money</option>
              </select>
            )}
          </Field>
        </div>
        {isName && <CopyBlock label="the lines that add an account" text={lines.join('\n')} />}
        <p class="hint">
          Limits before the first signal: nothing else limits the size of an order. After the restart, test the account
          above; a live one opens nothing before you have confirmed it.
        </p>
      </div>
    </Panel>
  );
}
