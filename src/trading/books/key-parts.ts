// Whose profit a fill is where keys are told apart: that of the keys that opened the position, whoever closes it.
//
// A stop, the owner, the kill switch or another key may close what a key has opened. The result belongs to the opener, as it
// does for the daily loss of a key; several keys that opened one position have it by what each of them holds.

import { type Decimal, minus, plus, smaller, ZERO } from '../decimal.ts';
import { type HistoricFill, isClosing } from './fill-history.ts';
import { positionKey } from './position.ts';

export interface KeyPart {
  readonly key: string;
  readonly position: string;
  readonly quantity: Decimal;
  readonly realizedPnl: Decimal;
  readonly fee: Decimal;
}

export class KeyParts {
  /** Of each position: how much each key holds of it. */
  readonly #held = new Map<string, Map<string, Decimal>>();

  /** The parts add up to the fill, to the last digit. Fills must come in the order of time. */
  of(fill: HistoricFill): readonly [KeyPart, ...KeyPart[]] {
    const { keyLabel, quantity, realizedPnl, fee } = fill;
    const position = positionKey({ ...fill, side: fill.positionSide });
    const held = this.#held.get(position) ?? new Map<string, Decimal>();
    this.#held.set(position, held);
    if (!isClosing(fill)) {
      held.set(keyLabel, plus(held.get(keyLabel) ?? ZERO, quantity));
      return [{ key: keyLabel, position, quantity, realizedPnl, fee }];
    }
    const holders = [...held];
    const last = holders.at(-1);
    // Adopted from the venue: opened by no fill of ours.
    if (last === undefined) return [{ key: keyLabel, position, quantity, realizedPnl, fee }];
    const all = holders.reduce((sum, [, each]) => plus(sum, each), ZERO);
    const shareOf = (amount: Decimal, each: Decimal): Decimal => ((amount * each) / all) as Decimal;
    const parts = holders.slice(0, -1).map(([key, each]): KeyPart => {
      const share = (amount: Decimal): Decimal => shareOf(amount, each);
      return { key, position, quantity: share(quantity), realizedPnl: share(realizedPnl), fee: share(fee) };
    });
    const rest = (amount: Decimal, of: (part: KeyPart) => Decimal): Decimal => parts.map(of).reduce(minus, amount);
    const whole: KeyPart = {
      ...{ key: last[0], position, quantity: rest(quantity, (part) => part.quantity) },
      ...{ realizedPnl: rest(realizedPnl, (part) => part.realizedPnl), fee: rest(fee, (part) => part.fee) },
    };
    for (const part of [...parts, whole]) reduce(held, part);
    return [whole, ...parts];
  }
}

function reduce(held: Map<string, Decimal>, { key, quantity }: KeyPart): void {
  const before = held.get(key) ?? ZERO;
  const left = minus(before, smaller(before, quantity));
  if (left === ZERO) held.delete(key);
  else held.set(key, left);
}
