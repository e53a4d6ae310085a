// The stops that a signal asked for, read from the trade's journal, which keeps them as they were asked for.

import type { Protection } from '../../server/answers.ts';
import { guardParts } from '../protection/guard-words.ts';

interface Exact {
  readonly decimal: string;
}

interface AskedLevel {
  readonly unit: 'price' | 'percent' | 'ticks';
  readonly value: Exact;
}

interface AskedStops {
  readonly stopLoss?: AskedLevel;
  readonly takeProfit?: AskedLevel;
  readonly trail?: AskedLevel;
  readonly activationPrice?: Exact;
  readonly targets?: readonly { readonly level: AskedLevel; readonly share: Exact }[];
  readonly breakEvenAfter?: number;
  readonly maxHoldSeconds?: number;
}

/** A line each; none where the journal has something else. */
export function askedParts(detail: string | null): readonly string[] {
  try {
    const asked = JSON.parse(detail ?? '') as AskedStops;
    const { stopLoss, takeProfit, trail, activationPrice, targets = [], breakEvenAfter, maxHoldSeconds } = asked;
    return guardParts({
      stopLoss: stopLoss === undefined ? null : { ...levelOf(stopLoss), isBreakEven: false },
      takeProfit: takeProfit === undefined ? null : levelOf(takeProfit),
      trail: trail === undefined ? null : trailOf(trail, activationPrice),
      targets: targets.map(({ level, share }) => ({ ...levelOf(level), share: Number(share.decimal), isHit: false })),
      ...{ breakEvenAfter: breakEvenAfter ?? null, maxHoldSeconds: maxHoldSeconds ?? null },
    });
  } catch {
    return [];
  }
}

const levelOf = ({ unit, value: { decimal } }: AskedLevel) => ({ price: null, asked: { [unit]: Number(decimal) } });

const trailOf = (trail: AskedLevel, begins: Exact | undefined): NonNullable<Protection['trail']> => ({
  asked: levelOf(trail).asked,
  activationPrice: begins === undefined ? null : Number(begins.decimal),
  ...{ peak: null, stopPrice: null },
});
