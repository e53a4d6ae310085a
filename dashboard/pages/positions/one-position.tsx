// One position: what it is worth, what binds and guards its shares, and what stands at the exchange for it.

import { useState } from 'preact/hooks';
import type { Position } from '../../server/answers.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { fixed, gainOrLoss, percent, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { guardWords } from '../protection/guard-words.ts';
import { Guards } from '../protection/guards.tsx';
import { isBare, type Share, sharesOf } from '../protection/shares.ts';
import { OrderTicket } from '../ticket/order-ticket.tsx';
import { type TypedTicket, ticketFor } from '../ticket/ticket.ts';
import { moneyWords, venueOf } from '../trades/trade-words.ts';
import { CloseQuestion } from './close-question.tsx';
import { sideChip } from './positions-table.tsx';
import { ProtectionForm, UnprotectQuestion } from './protection-form.tsx';

export function OnePosition({ position }: { readonly position: Position }) {
  const [isClosing, setClosing] = useState(false);
  const [ticket, setTicket] = useState<TypedTicket>();
  const { market, side, mode, exchange, account, updatedAt } = position;
  const trades = new URLSearchParams({ market, exchange, account });
  return (
    <div class="positions-page">
      <header class="position-head">
        <p class="headline">
          <strong>{market}</strong> {sideChip(side)} <MoneyChip mode={mode}>{moneyWords(mode)}</MoneyChip>{' '}
          <span class="quiet">
            on {venueOf(position)}, changed <When atMs={updatedAt} nowMs={Date.now()} />
          </span>
        </p>
        <span class="actions">
          <a class="button" href={`#/trades?${trades}`}>
            Its trades
          </a>
          <Button onClick={() => setTicket(ticketFor(position, 'add'))}>Add…</Button>
          <Button onClick={() => setTicket(ticketFor(position, 'reduce'))}>Reduce…</Button>
          <Button kind="danger" onClick={() => setClosing(true)}>
            Close…
          </Button>
        </span>
      </header>
      <Figures figures={figuresOf(position)} />
      <SharesPanel position={position} />
      <AtVenue position={position} />
      {isClosing && <CloseQuestion position={position} onClose={() => setClosing(false)} />}
      {ticket !== undefined && <OrderTicket start={ticket} onClose={() => setTicket(undefined)} />}
    </div>
  );
}

const MARGIN_GUIDE = '#/guides/paper-trading?at=leverage-and-margin';
const LIQUIDATION_GUIDE = '#/guides/paper-trading?at=liquidation';

function figuresOf(position: Position): readonly Figure[] {
  const { market, exchange, account, mode } = position;
  const here = new URLSearchParams({ market, exchange, account });
  const { quantity, entryPrice, markPrice, unrealizedPnl, margin, leverage, liquidationPrice, prices } = position;
  const distance =
    liquidationPrice === null || markPrice === null
      ? 'none in reach'
      : `${percent(liquidationPrice / markPrice - 1, 1)} away`;
  return [
    { title: 'Quantity', value: plain(quantity), words: `from ${plain(entryPrice)}`, link: `#/trades?${here}` },
    { title: 'Mark', value: plain(markPrice), words: `${prices} prices`, link: linkTo('chart', market) },
    {
      ...{ title: 'Open profit', value: signed(unrealizedPnl), gain: unrealizedPnl ?? undefined, words: 'before fees' },
      link: linkTo('chart', market),
    },
    {
      title: 'Margin',
      value: fixed(margin),
      words: leverage === null ? 'as the venue tells it' : `${leverage}× leverage`,
      link: MARGIN_GUIDE,
    },
    { title: 'Liquidation', value: plain(liquidationPrice), words: distance, link: LIQUIDATION_GUIDE },
    {
      ...{ title: 'Realized', value: signed(position.realizedPnl), gain: position.realizedPnl },
      // The server adds up all that was ever traded on this side of the market.
      words: `before ${fixed(position.fees)} fees, with earlier positions`,
      link: `#/performance/trades?${here}&mode=${mode}`,
    },
  ];
}

function SharesPanel({ position }: { readonly position: Position }) {
  const [changing, setChanging] = useState<Share>();
  const [baring, setBaring] = useState<Share>();
  const shares = sharesOf(position);
  return (
    <Panel title="Shares and their stops" aside={`${shares.length} ${shares.length === 1 ? 'share' : 'shares'}`}>
      <Table
        label="Shares"
        columns={shareColumns(setChanging, setBaring)}
        rows={shares}
        keyOf={({ strategy, side }) => `${side} ${strategy ?? ''}`}
      />
      {changing !== undefined && <ProtectionForm share={changing} onClose={() => setChanging(undefined)} />}
      {baring !== undefined && <UnprotectQuestion share={baring} onClose={() => setBaring(undefined)} />}
    </Panel>
  );
}

const shareColumns = (onChange: (share: Share) => void, onBare: (share: Share) => void): readonly Column<Share>[] => [
  {
    title: 'Strategy',
    cell: ({ strategy }) =>
      strategy === null ? (
        <span class="quiet">no strategy</span>
      ) : (
        <a href={`#/trades?strategy=${encodeURIComponent(strategy)}`}>{strategy}</a>
      ),
  },
  { title: 'Side', cell: ({ side }) => sideChip(side) },
  { title: 'Quantity', isNumber: true, cell: ({ quantity }) => plain(quantity) },
  { title: 'Entry', isNumber: true, cell: ({ entryPrice }) => plain(entryPrice) },
  {
    ...{ title: 'Realized', isNumber: true, isExtra: true },
    cell: ({ realizedPnl }) => <span class={gainOrLoss(realizedPnl)}>{signed(realizedPnl)}</span>,
  },
  {
    title: 'Protection',
    cell: (share) => (
      <>
        {isBare(share) && <Chip tone="warn">no stop</Chip>}
        {share.protection !== undefined && <Guards protection={share.protection} />}
      </>
    ),
  },
  {
    title: 'Stops',
    isNumber: true,
    cell: (share) => (
      <span class="buttons">
        <Button
          isSmall
          label={`${share.protection === undefined ? 'Set' : 'Change'} the stops of ${nameOf(share)}`}
          onClick={() => onChange(share)}
        >
          {share.protection === undefined ? 'Set…' : 'Change…'}
        </Button>
        {share.protection !== undefined && (
          <Button isSmall label={`Take away the stops of ${nameOf(share)}`} onClick={() => onBare(share)}>
            Take away…
          </Button>
        )}
      </span>
    ),
  },
];

const nameOf = ({ strategy }: Share): string => strategy ?? 'no strategy';

/** What acts also while Signalbox is down, and what waits for the fill of an entry. */
function AtVenue({ position: { protections } }: { readonly position: Position }) {
  const standing = protections.flatMap(({ atVenue = [] }) => atVenue);
  const waiting = protections.filter(({ entryPrice }) => entryPrice === null);
  if (standing.length === 0 && waiting.length === 0) return null;
  return (
    <Panel title="Stops at the exchange and stops that wait">
      <ul class="standing">
        {standing.map(({ id, kind, price, quantity, isKnown }) => (
          <li key={id}>
            {kind} of {plain(quantity)} at {plain(price)} stands at the exchange
            {!isKnown && <span class="quiet"> (not confirmed yet)</span>}
          </li>
        ))}
        {waiting.map((each) => (
          <li key={`${each.requestId}`}>
            {guardWords(each)}: waits for the fill of{' '}
            {each.requestId === null ? 'an entry' : <a href={`#/trades/${each.requestId}`}>its entry</a>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
