// The oracle of order: the signals of one market, replayed one by one in the order of their acceptance, must come to the
// very outcomes that were recorded, and to the position that the venue holds.

export interface ReplayedTrade {
  readonly name: string;
  readonly action: string;
  readonly quantity: number;
  readonly state: string;
  readonly executedQuantity: number;
}

export interface Replay {
  readonly faults: readonly string[];
  /** As `LONG 3`, or empty. */
  readonly position: string;
}

/** Market orders on a one-way account. Quantities are whole numbers of some unit, so that they can be compared exactly. */
export function replay(trades: readonly ReplayedTrade[]): Replay {
  const faults: string[] = [];
  let side = '';
  let held = 0;
  for (const { name, action, quantity, state, executedQuantity } of trades) {
    const closes = action.startsWith('CLOSE_');
    const target = closes ? action.slice('CLOSE_'.length) : action;
    const has = side === target ? held : 0;
    const expected = closes ? Math.min(quantity, has) : quantity;
    const outcome = expected === 0 ? 'rejected 0' : `filled ${expected}`;
    const found = `${state} ${executedQuantity}`;
    if (found !== outcome) faults.push(`${name} ${action} ${quantity} ended as ${found}; in order it is ${outcome}`);
    if (state !== 'filled') continue;
    held = closes ? has - executedQuantity : has + executedQuantity;
    side = held > 0 ? target : '';
  }
  return { faults, position: held > 0 ? `${side} ${held}` : '' };
}
