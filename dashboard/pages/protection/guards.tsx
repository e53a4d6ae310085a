// What guards a share, a line for each part of it; what nothing guards cannot be overlooked.

import type { Position, Protection } from '../../server/answers.ts';
import { Chip } from '../../ui/chip.tsx';
import { linkTo } from '../../ui/places.ts';
import { guardParts, stateWords } from './guard-words.ts';
import './guards.css';
import { barenessOf, shortStrategy } from './shares.ts';

export const Guards = ({ protection }: { readonly protection: Protection }) => (
  <GuardLines parts={guardParts(protection)} state={stateWords(protection)} />
);

export const GuardLines = ({ parts, state }: { readonly parts: readonly string[]; readonly state: string }) => (
  <ul class="guards">
    {parts.map((part) => (
      <li key={part}>{part}</li>
    ))}
    {state !== '' && <li class="quiet">{state.trim()}</li>}
  </ul>
);

const WARNINGS = { whole: 'no stop', part: 'no stop for a part of it' } as const;

/** All shares of a position in a few lines, with a way to a stop where one is missing. */
export function PositionGuards({ position }: { readonly position: Position }) {
  const { key, side, protections } = position;
  const bare = barenessOf(position);
  return (
    <div class="position-guards">
      {bare !== undefined && (
        <span class="bare">
          <Chip tone="warn">{WARNINGS[bare]}</Chip> <a href={linkTo('positions', key)}>set one</a>
        </span>
      )}
      {protections.map((each) => (
        <div key={`${each.side} ${each.strategy} ${each.requestId}`} class="quiet">
          {(protections.length > 1 || each.side !== side) && (
            <strong>
              {shortStrategy(each.strategy ?? 'no strategy')}
              {each.side !== side && ` ${each.side}`}
            </strong>
          )}
          <Guards protection={each} />
        </div>
      ))}
    </div>
  );
}
