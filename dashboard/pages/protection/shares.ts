// The shares of a position: of each strategy that holds something of it, or the whole where none was ever named.

import type { Position, Protection } from '../../server/answers.ts';

export interface Share {
  /** Of the position that it belongs to; on a netted account a share may stand on the other side. */
  readonly key: string;
  readonly market: string;
  readonly mode: Position['mode'];
  readonly strategy: string | null;
  readonly side: Position['side'];
  readonly quantity: number;
  readonly entryPrice: number;
  readonly realizedPnl: number;
  readonly fees: number;
  readonly protection: Protection | undefined;
  /** So many entries of it wait with stops of their own: what is taken away of the share is taken from them too. */
  readonly guardedEntries: number;
}

export function sharesOf(position: Position): readonly Share[] {
  const { key, market, mode, side, strategies, protections } = position;
  const held = strategies.length === 0 ? [{ ...position, strategy: null }] : strategies;
  return held.map((share) => ({
    ...{ market, mode, strategy: share.strategy, side: share.side, quantity: share.quantity },
    ...{ entryPrice: share.entryPrice, realizedPnl: share.realizedPnl, fees: share.fees },
    key: key.replace(new RegExp(`${side}$`), share.side),
    // What waits for the fill of an entry guards nothing of what is held.
    protection: guardsOf(share, protections).find(({ entryPrice }) => entryPrice !== null),
    guardedEntries: guardsOf(share, protections).filter(({ entryPrice }) => entryPrice === null).length,
  }));
}

const guardsOf = (share: Pick<Share, 'strategy' | 'side'>, protections: readonly Protection[]) =>
  protections.filter(({ strategy, side }) => strategy === share.strategy && side === share.side);

/** A target or a time stop alone guards nothing, nor does a trail that has not begun. */
export const isBare = ({ protection }: Share): boolean =>
  !protection?.stopLoss && (!protection?.trail || protection.trail.stopPrice === null);

/** How much of a position has no stop; undefined where all of it has one. */
export function barenessOf(position: Position): 'whole' | 'part' | undefined {
  const shares = sharesOf(position);
  const bare = shares.filter(isBare);
  if (bare.length === 0) return undefined;
  return bare.length === shares.length ? 'whole' : 'part';
}

/** A script that was given no name trades under the id of its deployment, which is too long to stand beside a number. */
export const shortStrategy = (strategy: string): string =>
  strategy.replace(/^(deployment [0-9a-f]{8})-[0-9a-f-]{27}$/, '$1…');
