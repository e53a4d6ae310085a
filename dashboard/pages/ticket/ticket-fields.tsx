// The fields of an order: where, what, how much and at which price, what protects it, and what is seldom needed.

import { useState } from 'preact/hooks';
import type { Account, Market, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { plain } from '../../ui/numbers.ts';
import { ProtectionFields } from '../protection/protection-fields.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';
import {
  type Action,
  closes,
  type SizeUnit,
  sizeUnitsOf,
  type TicketFaults,
  type TypedTicket,
  withAction,
} from './ticket.ts';

export interface TicketFieldsProps {
  readonly typed: TypedTicket;
  readonly accounts: readonly Account[];
  readonly chosen: Account | undefined;
  readonly faults: TicketFaults;
  readonly onType: (typed: TypedTicket) => void;
}

const ACTION_OPTIONS: readonly (readonly [Action, string])[] = [
  ['LONG', 'Buy, long'],
  ['SHORT', 'Sell, short'],
  ['CLOSE_LONG', 'Close long'],
  ['CLOSE_SHORT', 'Close short'],
];

const KINDS = [
  ['market', 'at the market'],
  ['limit', 'limit'],
] as const;

const TERMS: readonly (readonly [TypedTicket['timeInForce'], string])[] = [
  ['GTC', 'until it is canceled'],
  ['IOC', 'at once, what can be had (IOC)'],
  ['FOK', 'at once and whole, or not at all (FOK)'],
];

const keyOf = ({ exchange, account }: Pick<Account, 'exchange' | 'account'>): string => `${exchange}:${account}`;

export function TicketFields({ typed, accounts, chosen, faults, onType }: TicketFieldsProps) {
  const set = (changed: Partial<TypedTicket>): void => onType({ ...typed, ...changed });
  const isGone = chosen === undefined && accounts.length > 0;
  // Only at first: what is being emptied must not shut under the hand.
  const [isOfStrategy] = useState(typed.strategy !== '');
  return (
    <div class="ticket-fields">
      <div class="pair">
        <ChoiceField
          label="Account"
          value={chosen === undefined ? '' : keyOf(chosen)}
          options={accounts.map((each) => [keyOf(each), `${venueOf(each)}, ${moneyWords(each.mode)}`] as const)}
          onChoose={(account) => set({ account })}
          error={isGone ? `${typed.account} is not open now: choose one that is` : undefined}
        />
        <MarketField exchange={chosen?.exchange} value={typed.market} onWrite={(market) => set({ market })} />
      </div>
      <Choice
        label="What it does"
        options={ACTION_OPTIONS}
        chosen={typed.action}
        onChoose={(action) => onType(withAction(typed, action))}
      />
      <div class="pair">
        <SizeField typed={typed} error={faults.size} onType={onType} />
        <div class="field">
          <span class="label">Price</span>
          <Choice label="Kind of order" options={KINDS} chosen={typed.kind} onChoose={(kind) => set({ kind })} />
        </div>
      </div>
      {typed.kind === 'limit' && <LimitFields typed={typed} faults={faults} set={set} />}
      {!closes(typed.action) && (
        <ProtectionFields
          typed={typed.protection}
          faults={faults.protection}
          onType={(protection) => set({ protection })}
        />
      )}
      <details open={isOfStrategy}>
        <summary>Strategy, leverage, comment</summary>
        <div class="pair">
          <TextField
            label="Strategy"
            hint="whose share of the position it is"
            maxLength={64}
            value={typed.strategy}
            onWrite={(strategy) => set({ strategy })}
          />
          <TextField
            label="Leverage"
            hint="as it is without one"
            inputMode="numeric"
            maxLength={4}
            value={typed.leverage}
            error={faults.leverage}
            onWrite={(leverage) => set({ leverage })}
          />
        </div>
        <TextField label="Comment" maxLength={200} value={typed.comment} onWrite={(comment) => set({ comment })} />
      </details>
    </div>
  );
}

interface MarketFieldProps {
  readonly exchange: string | undefined;
  readonly value: string;
  readonly onWrite: (market: string) => void;
}

/** Rules change seldom; a price that is some seconds old is good enough to begin with. */
const MARKETS_EVERY_MS = 15_000;

function MarketField({ exchange, value, onWrite }: MarketFieldProps) {
  const path = exchange === undefined ? '/markets' : `/markets?exchange=${exchange}`;
  const { answer, refused } = useAnswer<Result<readonly Market[]>>(path, MARKETS_EVERY_MS);
  const markets = answer?.result ?? [];
  const known = markets.find(({ symbol }) => symbol === value.trim().toUpperCase());
  return (
    <Field label="Market" hint={known === undefined ? refused?.message : rulesOf(known)}>
      {(tied) => (
        <>
          <input
            {...tied}
            list={`${tied.id}-markets`}
            autocomplete="off"
            spellcheck={false}
            maxLength={64}
            placeholder="BTCUSDT"
            value={value}
            onInput={(event) => onWrite(event.currentTarget.value)}
          />
          <datalist id={`${tied.id}-markets`}>
            {[...new Set(markets.map(({ symbol }) => symbol))].map((symbol) => (
              <option key={symbol} value={symbol} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

const rulesOf = ({ lastPrice, stepSize, minNotional }: Market): string =>
  [
    lastPrice === null ? 'no price now' : `last ${plain(lastPrice)}`,
    stepSize !== null && `step ${plain(stepSize)}`,
    minNotional !== null && `${plain(minNotional)} USDT at least`,
  ]
    .filter((word) => word !== false)
    .join(', ');

const SIZE_WORDS: Readonly<Record<SizeUnit, string>> = {
  base: 'coins',
  quote: 'USDT',
  percent_equity: '% of the account',
  risk_percent: '% at risk to the stop',
  percent_position: '% of what is held',
};

interface SizeFieldProps {
  readonly typed: TypedTicket;
  readonly error: string | undefined;
  readonly onType: (typed: TypedTicket) => void;
}

const SizeField = ({ typed, error, onType }: SizeFieldProps) => (
  <Field label="Size" error={error}>
    {(tied) => (
      <span class="size">
        <input
          {...tied}
          inputMode="decimal"
          maxLength={20}
          value={typed.size}
          onInput={(event) => onType({ ...typed, size: event.currentTarget.value })}
        />
        <select
          aria-label="Unit of the size"
          value={typed.sizeUnit}
          onChange={(event) => onType({ ...typed, sizeUnit: event.currentTarget.value as SizeUnit })}
        >
          {sizeUnitsOf(typed.action).map((unit) => (
            <option key={unit} value={unit}>
              {SIZE_WORDS[unit]}
            </option>
          ))}
        </select>
      </span>
    )}
  </Field>
);

interface LimitFieldsProps {
  readonly typed: TypedTicket;
  readonly faults: TicketFaults;
  readonly set: (changed: Partial<TypedTicket>) => void;
}

const LimitFields = ({ typed, faults, set }: LimitFieldsProps) => (
  <div class="pair">
    <TextField
      label="Limit price"
      inputMode="decimal"
      maxLength={20}
      value={typed.price}
      error={faults.price}
      onWrite={(price) => set({ price })}
    />
    <ChoiceField
      label="How long it waits"
      value={typed.timeInForce}
      options={TERMS}
      onChoose={(word) => set({ timeInForce: word as TypedTicket['timeInForce'] })}
    />
    {typed.timeInForce === 'GTC' && (
      <>
        <TextField
          label="Canceled after, minutes"
          hint="never without a number"
          inputMode="decimal"
          maxLength={10}
          value={typed.cancelAfter}
          error={faults.cancelAfter}
          onWrite={(cancelAfter) => set({ cancelAfter })}
        />
        <label class="check">
          <input type="checkbox" checked={typed.isPostOnly} onChange={() => set({ isPostOnly: !typed.isPostOnly })} />
          Post only: refused where it would trade at once
        </label>
      </>
    )}
  </div>
);
