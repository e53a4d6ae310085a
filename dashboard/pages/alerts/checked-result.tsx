// What would become of a checked alert: the verdict with its remedy, what would be traded, each gate, and how each field was read.

import type { Checked } from '../../server/setup-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { Facts } from '../../ui/facts.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { type AskedStops, costFacts, gateWords, orderWords, outcomeWords } from '../signals/foreseen-words.ts';
import { Reason } from '../signals/reason.tsx';

export interface CheckedResultProps {
  readonly checked: Checked;
  /** Checks it again as the text of a mail. */
  readonly onMail: () => void;
}

export function CheckedResult({ checked, onMail }: CheckedResultProps) {
  const { outcome, key, route, signal, accounts, warnings, gates, fields } = checked;
  const [words, tone] = outcomeWords(outcome);
  return (
    <>
      <p class="outcome" role="status">
        <Chip tone={tone}>It {words}</Chip>{' '}
        <span class="quiet">
          {key === null ? 'by nobody we know' : `by the key ${key}`}, sent to {route}
        </span>
      </p>
      {outcome !== 'would_trade' && <Refused checked={checked} onMail={onMail} />}
      {accounts.map((account) => (
        <WouldTrade key={`${account.exchange}:${account.account}`} account={account} asked={signal?.protect ?? {}} />
      ))}
      {warnings.length > 0 && <Sentences title="Worth knowing" sentences={warnings} />}
      <h3>Gate by gate</h3>
      <ol class="gates" aria-label="Gates">
        {gates.map(({ gate, outcome: verdict, error }) => (
          <li key={gate}>
            <Chip tone={PASSES[verdict][1]}>{PASSES[verdict][0]}</Chip>
            <div>
              {gateWords(gate)}
              {error !== null && <p class="quiet">{error}</p>}
            </div>
          </li>
        ))}
      </ol>
      {fields.length > 0 && (
        <details>
          <summary>How each field was read</summary>
          <Table label="How each field was read" columns={FIELD_COLUMNS} rows={fields} keyOf={({ field }) => field} />
        </details>
      )}
    </>
  );
}

function Refused({ checked: { code, error, faults, route }, onMail }: CheckedResultProps) {
  const mayBeMail = code === 'INVALID_JSON' && route !== '/email-signal';
  return (
    <div class="doubt">
      <Reason code={code} error={error} faults={faults} />
      {mayBeMail && (
        <p>
          A webhook takes JSON alone; plain words and lines are read from mail.{' '}
          <Button isSmall onClick={onMail}>
            Check it as a mail
          </Button>
        </p>
      )}
    </div>
  );
}

const PASSES: Readonly<Record<Checked['gates'][number]['outcome'], readonly [words: string, tone: Tone]>> = {
  passed: ['passes', 'up'],
  refused: ['refuses', 'down'],
  not_reached: ['not asked', 'plain'],
};

interface WouldTradeProps {
  readonly account: Checked['accounts'][number];
  readonly asked: AskedStops;
}

function WouldTrade({ account, asked }: WouldTradeProps) {
  const { exchange, account: name, mode, outcome, error, quantity, notional, price, leverage, warnings } = account;
  const { orders, cancels, cancelsStops, market, cautions } = account;
  const withdrawn = cancels.length + cancelsStops.length;
  const facts: readonly (readonly [string, string])[] = [
    ...orders.map((order, index) => [index === 0 ? 'Order' : `Order ${index + 1}`, orderWords(order)] as const),
    ...(quantity === null ? [] : [['Size', `${plain(quantity)} ${market}`] as const]),
    ...(price === null ? [] : [['Price, about', plain(price)] as const]),
    ...(notional === null ? [] : [['Worth, USDT', plain(notional)] as const]),
    ...(leverage === null ? [] : [['Leverage', `${leverage}×`] as const]),
    ...(orders.length === 0 ? [] : costFacts(account, asked)),
    ...(withdrawn === 0
      ? []
      : [['Withdrawn first', `${withdrawn} resting ${withdrawn === 1 ? 'order' : 'orders'}`] as const]),
  ];
  return (
    <section class="would-trade" aria-label={`On ${exchange}:${name}`}>
      <p>
        <strong>
          {exchange}:{name}
        </strong>{' '}
        <MoneyChip mode={mode} /> <Chip tone={outcomeWords(outcome)[1]}>{outcomeWords(outcome)[0]}</Chip>
      </p>
      {error !== null && <p>{error}</p>}
      {facts.length > 0 && <Facts facts={facts} />}
      {cautions.length > 0 && <Sentences title="Take care" sentences={cautions} />}
      {warnings.length > 0 && <Sentences title="Changed on the way" sentences={warnings} />}
    </section>
  );
}

const Sentences = ({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) => (
  <>
    <h3>{title}</h3>
    <ul class="sentences">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  </>
);

const USES: Readonly<Record<Checked['fields'][number]['use'], Tone>> = { read: 'up', ignored: 'warn', refused: 'down' };

const FIELD_COLUMNS: readonly Column<Checked['fields'][number]>[] = [
  { title: 'Field', cell: ({ field }) => <code>{field}</code> },
  { title: 'Sent', cell: ({ sent }) => <code class="sent">{sent}</code> },
  { title: 'Use', cell: ({ use }) => <Chip tone={USES[use]}>{use}</Chip> },
  { title: 'Read as', cell: ({ readAs, note }) => <span class="note">{note ?? readAs ?? ''}</span> },
];
