// Everything that is held, with what it binds and what guards it; behind a key, one position with its shares and their stops.

import { useState } from 'preact/hooks';
import type { Position, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { fixed, gainOrLoss, percent, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Place } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';
import { CloseQuestion, FlattenQuestion } from './close-question.tsx';
import { guardWords } from './guard-words.ts';
import { PositionsTable, sideChip } from './positions-table.tsx';
import { ProtectionForm, UnprotectQuestion } from './protection-form.tsx';
import { type Share, sharesOf } from './shares.ts';

export function Positions({ place }: { readonly place: Place }) {
  const { answer } = useAnswer<Result<readonly Position[]>>('/positions');
  const [key] = place.rest;
  if (answer === undefined) return null;
  if (key === undefined) return <AllPositions positions={answer.result} />;
  const position = answer.result.find((each) => each.key === key);
  return position === undefined ? <Gone name={key} /> : <OnePosition position={position} />;
}

function AllPositions({ positions }: { readonly positions: readonly Position[] }) {
  const [isFlattening, setFlattening] = useState(false);
  const modes = [...new Set(positions.map(({ mode }) => mode))];
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
      <Panel
        title="Positions"
        aside={
          positions.length === 0 ? (
            'none'
          ) : (
            <Button kind="danger" isSmall onClick={() => setFlattening(true)}>
              Close all {positions.length}…
            </Button>
          )
        }
      >
        <PositionsTable positions={positions} isWhole />
      </Panel>
      {isFlattening && <FlattenQuestion positions={positions} onClose={() => setFlattening(false)} />}
    </div>
  );
}

function totalsOf(positions: readonly Position[], mode: Position['mode']): readonly Figure[] {
  const sum = (value: (position: Position) => number | null): number =>
    positions.reduce((total, position) => total + (value(position) ?? 0), 0);
  const worth = sum(({ quantity, markPrice, entryPrice }) => quantity * (markPrice ?? entryPrice));
  const open = sum(({ unrealizedPnl }) => unrealizedPnl);
  const bare = positions.filter((position) => sharesOf(position).some(({ protection }) => protection === undefined));
  return [
    { title: 'Held', value: String(positions.length), words: moneyWords(mode) },
    { title: 'Worth', value: fixed(worth), words: 'USDT at the last prices' },
    { title: 'Open profit', value: signed(open), gain: open, words: 'before fees' },
    { title: 'Margin', value: fixed(sum(({ margin }) => margin)), words: 'bound, where the venue tells it' },
    {
      title: 'Without a stop',
      value: String(bare.length),
      words: bare.length === 0 ? 'all are guarded' : 'or in part',
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
  const { market, side, mode, exchange, account, updatedAt } = position;
  const trades = new URLSearchParams({ market, exchange, account });
  return (
    <div class="positions-page">
      <header class="position-head">
        <p class="headline">
          <strong>{market}</strong> {sideChip(side)}{' '}
          <Chip tone={mode === 'live' ? 'down' : 'plain'}>{moneyWords(mode)}</Chip>{' '}
          <span class="quiet">
            on {venueOf(position)}, changed <When atMs={updatedAt} nowMs={Date.now()} />
          </span>
        </p>
        <span class="actions">
          <a class="button" href={`#/trades?${trades}`}>
            Its trades
          </a>
          <Button kind="danger" onClick={() => setClosing(true)}>
            Close…
          </Button>
        </span>
      </header>
      <Figures figures={figuresOf(position)} />
      <SharesPanel position={position} />
      <AtVenue position={position} />
      {isClosing && <CloseQuestion position={position} onClose={() => setClosing(false)} />}
    </div>
  );
}

function figuresOf(position: Position): readonly Figure[] {
  const { quantity, entryPrice, markPrice, unrealizedPnl, margin, leverage, liquidationPrice, prices } = position;
  const distance =
    liquidationPrice === null || markPrice === null
      ? 'none in reach'
      : `${percent(liquidationPrice / markPrice - 1, 1)} away`;
  return [
    { title: 'Quantity', value: plain(quantity), words: `from ${plain(entryPrice)}` },
    { title: 'Mark', value: plain(markPrice), words: `${prices} prices` },
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
    cell: ({ protection }) => <span class="guard">{protection === undefined ? 'none' : guardWords(protection)}</span>,
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
