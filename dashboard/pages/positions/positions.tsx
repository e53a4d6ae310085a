// Everything that is held, with what it binds and what guards it; behind a key, one position with its shares and their stops.

import { useState } from 'preact/hooks';
import type { Position, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { fixed, gainOrLoss, percent, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo, type Place } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { guardWords } from '../protection/guard-words.ts';
import { Guards } from '../protection/guards.tsx';
import { barenessOf, isBare, type Share, sharesOf } from '../protection/shares.ts';
import { OrderTicket } from '../ticket/order-ticket.tsx';
import { type TypedTicket, ticketFor } from '../ticket/ticket.ts';
import { moneyWords, venueOf } from '../trades/trade-words.ts';
import { CloseQuestion, FlattenQuestion } from './close-question.tsx';
import { PositionsTable, sideChip } from './positions-table.tsx';
import { ProtectionForm, UnprotectQuestion } from './protection-form.tsx';

export function Positions({ place }: { readonly place: Place }) {
  const { answer, refused } = useAnswer<Result<readonly Position[]>>('/positions');
  const [key] = place.rest;
  if (answer === undefined) return <Unanswered refused={refused} />;
  if (key === undefined) return <AllPositions place={place} positions={answer.result} />;
  const position = answer.result.find((each) => each.key === key);
  return position === undefined ? <Gone name={key} /> : <OnePosition position={position} />;
}

/** Behind the hash: only those that nothing guards, or not all of it. */
const BARE = 'bare';

interface AllPositionsProps {
  readonly place: Place;
  readonly positions: readonly Position[];
}

function AllPositions({ place, positions }: AllPositionsProps) {
  const [isFlattening, setFlattening] = useState(false);
  const [isOrdering, setOrdering] = useState(false);
  const modes = [...new Set(positions.map(({ mode }) => mode))];
  const isBareOnly = place.query.has(BARE);
  const shown = isBareOnly ? positions.filter(barenessOf) : positions;
  return (
    <div class="positions-page">
      {modes.map((mode) => (
        <Figures
          key={mode}
          figures={totalsOf(
            positions.filter((each) => each.mode === mode),
            mode,
          )}
        />
      ))}
      {isBareOnly && (
        <p>
          Only those without a stop, whole or in part. <a href="#/positions">All positions</a>
        </p>
      )}
      <Panel
        title="Positions"
        aside={
          <span class="buttons">
            <Button isSmall onClick={() => setOrdering(true)}>
              New order…
            </Button>
            {positions.length > 0 && (
              <Button kind="danger" isSmall onClick={() => setFlattening(true)}>
                Close all {positions.length}…
              </Button>
            )}
          </span>
        }
      >
        <PositionsTable positions={shown} isWhole />
      </Panel>
      {isOrdering && <OrderTicket onClose={() => setOrdering(false)} />}
      {isFlattening && <FlattenQuestion positions={positions} onClose={() => setFlattening(false)} />}
    </div>
  );
}

interface Sum {
  /** Undefined where a part of it is missing: the rest would be a wrong figure. */
  readonly sum: number | undefined;
  /** In words. */
  readonly missing: string | undefined;
}

function sumOf(positions: readonly Position[], part: (position: Position) => number | null): Sum {
  const missing = positions.filter((position) => part(position) === null).map(({ market }) => market);
  if (missing.length > 0) return { sum: undefined, missing: `not known for ${[...new Set(missing)].join(', ')}` };
  return { sum: positions.reduce((sum, position) => sum + (part(position) ?? 0), 0), missing: undefined };
}

function totalsOf(positions: readonly Position[], mode: Position['mode']): readonly Figure[] {
  const worth = sumOf(positions, ({ quantity, markPrice }) => (markPrice === null ? null : quantity * markPrice));
  const open = sumOf(positions, ({ unrealizedPnl }) => unrealizedPnl);
  const margin = sumOf(positions, (position) => position.margin);
  const bare = positions.filter(barenessOf);
  return [
    { title: 'Held', value: String(positions.length), words: moneyWords(mode) },
    { title: 'Worth', value: fixed(worth.sum), words: worth.missing ?? 'USDT at the last prices' },
    {
      ...{ title: 'Open profit', value: signed(open.sum), gain: open.sum, link: '#/performance' },
      words: open.missing ?? 'before fees',
    },
    { title: 'Margin', value: fixed(margin.sum), words: margin.missing ?? 'USDT, bound by what is held' },
    {
      title: 'Without a stop',
      value: String(bare.length),
      words: bare.length === 0 ? 'all are guarded' : 'or in part',
      ...(bare.length > 0 && { link: `#/positions?${BARE}=yes` }),
    },
  ];
}

const Gone = ({ name }: { readonly name: string }) => (
  <p>
    {name} is not held, or not any more. <a href="#/positions">All positions</a>, or{' '}
    <a href={`#/trades?market=${encodeURIComponent(name.split(':').at(-2) ?? '')}`}>what was traded there</a>.
  </p>
);

function OnePosition({ position }: { readonly position: Position }) {
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
    { title: 'Open profit', value: signed(unrealizedPnl), gain: unrealizedPnl ?? undefined, words: 'before fees' },
    {
      title: 'Margin',
      value: fixed(margin),
      words: leverage === null ? 'as the venue tells it' : `${leverage}× leverage`,
    },
    { title: 'Liquidation', value: plain(liquidationPrice), words: distance },
    {
      ...{ title: 'Realized', value: signed(position.realizedPnl), gain: position.realizedPnl },
      words: `${fixed(position.fees)} fees`,
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
