// Whose profit a fill is where those who open positions are told apart, by key or by tag: that of the opener, whoever closes it.
//
// A stop, the owner, the kill switch or another key may close what a key has opened. The result belongs to the opener, as it
// does for the daily loss of a key; several openers of one position have it by what each of them holds.

import { type Decimal, minus, plus, smaller, ZERO } from '../decimal.ts';
import { type HistoricFill, isClosing } from './fill-history.ts';
import { positionKey } from './position.ts';

export interface OpenerPart {
  readonly opener: string;
  readonly position: string;
  readonly quantity: Decimal;
  readonly realizedPnl: Decimal;
  readonly fee: Decimal;
}

export class OpenerParts<Fill extends HistoricFill> {
  readonly #openerOf: (fill: Fill) => string;
  /** Of each position: how much each opener holds of it. */
  readonly #held = new Map<string, Map<string, Decimal>>();

  constructor(openerOf: (fill: Fill) => string) {
    this.#openerOf = openerOf;
  }

  /** The parts add up to the fill, to the last digit. Fills must come in the order of time. */
  of(fill: Fill): readonly [OpenerPart, ...OpenerPart[]] {
    const { quantity, realizedPnl, fee } = fill;
    const opener = this.#openerOf(fill);
    const position = positionKey({ ...fill, side: fill.positionSide });
    const held = this.#held.get(position) ?? new Map<string, Decimal>();
    this.#held.set(position, held);
    if (!isClosing(fill)) {
      held.set(opener, plus(held.get(opener) ?? ZERO, quantity));
      return [{ opener, position, quantity, realizedPnl, fee }];
    }
    const holders = [...held];
    const last = holders.at(-1);
    // Adopted from the venue: opened by no fill of ours.
    if (last === undefined) return [{ opener, position, quantity, realizedPnl, fee }];
    const all = holders.reduce((sum, [, each]) => plus(sum, each), ZERO);
    const shareOf = (amount: Decimal, each: Decimal): Decimal => ((amount * each) / all) as Decimal;
    const parts = holders.slice(0, -1).map(([name, each]): OpenerPart => {
      const share = (amount: Decimal): Decimal => shareOf(amount, each);
      return { opener: name, position, quantity: share(quantity), realizedPnl: share(realizedPnl), fee: share(fee) };
    });
    const rest = (amount: Decimal, of: (part: OpenerPart) => Decimal): Decimal => parts.map(of).reduce(minus, amount);
    const whole: OpenerPart = {
      ...{ opener: last[0], position, quantity: rest(quantity, (part) => part.quantity) },
      ...{ realizedPnl: rest(realizedPnl, (part) => part.realizedPnl), fee: rest(fee, (part) => part.fee) },
    };
    for (const part of [...parts, whole]) reduce(held, part);
    return [whole, ...parts];
  }
}

function reduce(held: Map<string, Decimal>, { opener, quantity }: OpenerPart): void {
  const before = held.get(opener) ?? ZERO;
  const left = minus(before, smaller(before, quantity));
  if (left === ZERO) held.delete(opener);
  else held.set(opener, left);
}
