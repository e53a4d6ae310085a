// What the account holds in this market, beside the chart: for who cannot drag a line, and for who wants the numbers.

import type { Position } from '../../server/answers.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';
import { barenessOf } from '../protection/shares.ts';
import { venueOf } from '../trades/trade-words.ts';
import type { AccountLevel } from './account-levels.ts';
import './levels-bar.css';

interface LevelsBarProps {
  readonly levels: readonly AccountLevel[];
  readonly positions: readonly Position[];
  readonly onMove: (level: AccountLevel) => void;
}

const SET_A_STOP = { whole: 'No stop: set one', part: 'A part has no stop: set one' } as const;

export const LevelsBar = ({ levels, positions, onMove }: LevelsBarProps) =>
  positions.length === 0 ? null : (
    <ul class="levels-bar" aria-label="Held in this market">
      {positions.map((position) => (
        <li key={position.key}>
          <Chip tone={position.side === 'LONG' ? 'up' : 'down'}>{position.side}</Chip>
          <span>
            {plain(position.quantity)} at {plain(position.entryPrice)}
          </span>
          <strong class={gainOrLoss(position.unrealizedPnl)}>{signed(position.unrealizedPnl)}</strong>
          <MoneyChip mode={position.mode}>{position.mode.toUpperCase()}</MoneyChip>
          <span class="quiet">{venueOf(position)}</span>
          {levels
            .filter((level) => level.position === position && level.canMove)
            .map((level) => (
              <Button
                key={level.id}
                isSmall
                label={`${level.words} ${plain(level.price)}: move it`}
                onClick={() => onMove(level)}
              >
                {level.words} {plain(level.price)}
              </Button>
            ))}
          <MissingStop of={position} />
        </li>
      ))}
    </ul>
  );

function MissingStop({ of }: { readonly of: Position }) {
  const bare = barenessOf(of);
  if (bare === undefined) return null;
  return (
    <a class="button small" href={linkTo('positions', of.key)}>
      {SET_A_STOP[bare]}
    </a>
  );
}
