// The oracle of order: the signals of one market, replayed one by one in the order of their acceptance, must come to the
// very outcomes that were recorded, and to the position that the venue holds.

export interface ReplayedTrade {
  readonly name: string;
  readonly action: string;
  readonly quantity: number;
  /** Absent where all signals are of one. */
  readonly strategy?: string | undefined;
  readonly state: string;
  readonly executedQuantity: number;
  /** It ended between its two orders: what the account held the other way is closed, and nothing is opened. */
  readonly isHalfReversed?: boolean;
}

export interface Replay {
  readonly faults: readonly string[];
  /** As `LONG 3`, or empty. */
  readonly position: string;
  /** What each strategy holds, long positive. */
  readonly shares: ReadonlyMap<string, number>;
}

/** Market orders on a one-way account. Quantities are whole numbers of some unit, so that they can be compared exactly. */
export function replay(trades: readonly ReplayedTrade[]): Replay {
  const faults: string[] = [];
  const shares = new Map<string, number>();
  for (const trade of trades) {
    const { name, action, quantity, strategy = '', state, executedQuantity, isHalfReversed = false } = trade;
    const closes = action.startsWith('CLOSE_');
    const sign = action.endsWith('LONG') ? 1 : -1;
    // Seen from the side the signal names: what is held the other way is negative.
    const has = sign * (shares.get(strategy) ?? 0);
    const expected = closes ? Math.max(0, Math.min(quantity, has)) : quantity;
    if (isHalfReversed) {
      const [direction, wanted] = closes ? [-sign, expected] : [sign, quantity + Math.max(0, -has)];
      // The first of the two takes what all strategies together hold the other way, and is its own strategy's all the same.
      const closed = Math.max(0, -direction * netOf(shares));
      if (closed === 0 || closed >= wanted)
        faults.push(`${name} ${strategy} ${action} ${quantity} has nothing that it could have closed`);
      shares.set(strategy, (shares.get(strategy) ?? 0) + direction * closed);
      continue;
    }
    const outcome = expected === 0 ? 'rejected 0' : `filled ${expected}`;
    const found = `${state} ${executedQuantity}`;
    if (found !== outcome)
      faults.push(`${name} ${strategy} ${action} ${quantity} ended as ${found}; in order it is ${outcome}`);
    if (state !== 'filled') continue;
    shares.set(strategy, 0 + sign * (closes ? has - executedQuantity : Math.max(0, has) + executedQuantity));
  }
  const net = netOf(shares);
  return { faults, position: net === 0 ? '' : `${net > 0 ? 'LONG' : 'SHORT'} ${Math.abs(net)}`, shares };
}

const netOf = (shares: ReadonlyMap<string, number>): number =>
  [...shares.values()].reduce((sum, share) => sum + share, 0);
