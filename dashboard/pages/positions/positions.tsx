// Everything that is held, with what it binds and what guards it; behind a key, one position.

import { useState } from 'preact/hooks';
import type { Position, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { fixed, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Place } from '../../ui/places.ts';
import { Unanswered } from '../../ui/unanswered.tsx';
import { barenessOf } from '../protection/shares.ts';
import { OrderTicket } from '../ticket/order-ticket.tsx';
import { moneyWords } from '../trades/trade-words.ts';
import { FlattenQuestion } from './close-question.tsx';
import { OnePosition } from './one-position.tsx';
import { PositionsTable } from './positions-table.tsx';

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

const WORTH_GUIDE = '#/guides/account?at=what-an-account-is-worth';
const MARGIN_GUIDE = '#/guides/paper-trading?at=leverage-and-margin';

function totalsOf(positions: readonly Position[], mode: Position['mode']): readonly Figure[] {
  const worth = sumOf(positions, ({ quantity, markPrice }) => (markPrice === null ? null : quantity * markPrice));
  const open = sumOf(positions, ({ unrealizedPnl }) => unrealizedPnl);
  const margin = sumOf(positions, (position) => position.margin);
  const bare = positions.filter(barenessOf);
  return [
    { title: 'Held', value: String(positions.length), words: moneyWords(mode), link: '#/positions' },
    {
      ...{ title: 'Worth', value: fixed(worth.sum), link: WORTH_GUIDE },
      words: worth.missing ?? 'USDT at the last prices',
    },
    {
      ...{ title: 'Open profit', value: signed(open.sum), gain: open.sum, link: '#/performance' },
      words: open.missing ?? 'before fees',
    },
    {
      ...{ title: 'Margin', value: fixed(margin.sum), link: MARGIN_GUIDE },
      words: margin.missing ?? 'USDT, bound by what is held',
    },
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
