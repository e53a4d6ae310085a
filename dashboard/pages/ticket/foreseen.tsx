// What would happen: the orders with their size and price, or why it would be refused and what to do about it.

import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Checked } from '../../server/answers.ts';
import { Chip } from '../../ui/chip.tsx';
import { counted, fixed, plain } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';
import { When } from '../../ui/when.tsx';
import {
  type AskedStops,
  costFacts,
  gatesWords,
  gateWords,
  orderWords,
  outcomeWords,
} from '../signals/foreseen-words.ts';
import { remedyOf } from '../signals/remedies.ts';
import { RemedyLink } from '../signals/remedy-link.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';

interface ForeseenProps {
  readonly checked: Checked;
  readonly atMs: number;
  /** Whether it was sent since: then it may be done, whatever came back. */
  readonly isSent?: boolean;
}

export function Foreseen({ checked, atMs, isSent = false }: ForeseenProps) {
  const { outcome, code, error, accounts, warnings, signal } = checked;
  const [words, tone] = outcomeWords(outcome);
  const section = useRef<HTMLElement>(null);
  // On a phone it is further down than the form shows.
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [atMs]);
  return (
    <section ref={section} class="foreseen" aria-label="What would happen">
      <p>
        <Chip tone={tone}>{words}</Chip>{' '}
        <span class="quiet">
          as it stood at <When atMs={atMs} />
          {!isSent && '; nothing was sent'}
        </span>
      </p>
      {error !== null && <Why code={code} error={error} />}
      {accounts.map((account) => (
        <Account
          key={venueOf(account)}
          account={account}
          asked={signal?.protect ?? {}}
          isOnly={accounts.length === 1}
        />
      ))}
      <Sentences name="warnings" label="Worth knowing" sentences={warnings} />
      <Gates checked={checked} />
    </section>
  );
}

interface WhyProps {
  readonly code: string | null;
  readonly error: string;
}

/** In place of what was foreseen: the server has refused it since. */
export const RefusedOrder = (why: WhyProps) => (
  <section class="foreseen" aria-label="Refused">
    <p>
      <Chip tone="down">was refused</Chip>
    </p>
    <Why {...why} />
  </section>
);

function Why({ code, error }: WhyProps) {
  const remedy = code === null ? undefined : remedyOf(code, error);
  return (
    <div class="why" role="alert">
      <p>{error}</p>
      {remedy !== undefined && (
        <p>
          <strong>What to do:</strong> {remedy.words} <RemedyLink remedy={remedy} />
        </p>
      )}
    </div>
  );
}

type ForeseenAccount = Checked['accounts'][number];

interface CostsProps {
  readonly account: ForeseenAccount;
  readonly asked: AskedStops;
}

function Account({ account, asked, isOnly }: CostsProps & { readonly isOnly: boolean }) {
  const { orders, cancels, cancelsStops, warnings, cautions, market } = account;
  return (
    <>
      {!isOnly && account.error !== null && <Why code={account.code} error={account.error} />}
      {orders.length > 0 && (
        <ol class="foreseen-orders">
          {orders.map((order) => (
            <li key={`${order.leg}${order.side}`}>
              <strong>{orderWords(order)}</strong>
            </li>
          ))}
        </ol>
      )}
      <Sentences name="cautions" label="Take care" sentences={cautions} />
      <Sentences name="warnings" label="Worth knowing" sentences={warnings} />
      <dl>
        <dt>Where</dt>
        <dd>
          {market} on {venueOf(account)}, <strong>{moneyWords(account.mode)}</strong>
        </dd>
        {orders.length > 0 && <Costs account={account} asked={asked} />}
        {cancels.length + cancelsStops.length > 0 && (
          <>
            <dt>Takes back first</dt>
            <dd>
              <a href={linkTo('trades')}>{canceledWords(cancels.length, cancelsStops.length)}</a>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function Costs({ account, asked }: CostsProps) {
  const { quantity, notional, price } = account;
  return (
    <>
      <dt>Size</dt>
      <dd>{notional === null ? plain(quantity) : `${plain(quantity)}, worth about ${fixed(notional)} USDT`}</dd>
      <dt>Price</dt>
      <dd>{price === null ? '–' : `about ${plain(price)}`}</dd>
      {costFacts(account, asked).map(([name, words]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{words}</dd>
        </Fragment>
      ))}
    </>
  );
}

interface SentencesProps {
  readonly name: 'cautions' | 'warnings';
  readonly label: string;
  readonly sentences: readonly string[];
}

const Sentences = ({ name, label, sentences }: SentencesProps) =>
  sentences.length === 0 ? null : (
    <ul class={name} aria-label={label}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );

const canceledWords = (orders: number, stops: number): string =>
  [orders > 0 && counted(orders, 'resting order'), stops > 0 && counted(stops, 'stop')]
    .filter((word) => word !== false)
    .join(', ');

function Gates({ checked }: { readonly checked: Checked }) {
  return (
    <details class="gates">
      <summary>{gatesWords(checked)}</summary>
      <ul>
        {checked.gates.map(({ gate, outcome }) => (
          <li key={gate}>
            <span>{gateWords(gate)}</span> <span class={GATE_CLASS[outcome]}>{outcome.replaceAll('_', ' ')}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const GATE_CLASS = { passed: 'quiet', refused: 'down', not_reached: 'quiet' } as const;
