// The stops a signal asks for, with everything about them that can be wrong before there is a position.

import { ACTION_MEANING } from '../../trading/action.ts';
import { type Decimal, decimal } from '../../trading/decimal.ts';
import type { ProtectRequest } from '../../trading/signal.ts';
import type { SignalBody } from './schemas.ts';

const FIELDS = ['trailPercent', 'stopLoss', 'takeProfit'] as const;

/** Undefined when the signal asks for none. */
export function protectOf(
  signal: Omit<SignalBody, 'apiKey'>,
  price: Decimal | undefined,
  faults: string[],
): ProtectRequest | undefined {
  const given = FIELDS.filter((field) => signal[field] !== undefined);
  if (given.length === 0) return undefined;
  const { closes, positionSide } = ACTION_MEANING[signal.action];
  if (closes) {
    faults.push(...given.map((field) => `${field}: protects a new position, remove it from ${signal.action}`));
    return undefined;
  }
  const protect: Partial<Record<(typeof FIELDS)[number], Decimal>> = {};
  for (const field of given) {
    const value = decimal(signal[field] as number);
    if (value === 0n) faults.push(`${field}: is smaller than any market trades at, send a higher one`);
    protect[field] = value;
  }
  faults.push(...orderFaults(positionSide === 'LONG', protect, price));
  return protect;
}

/** For a long the stop loss is the lowest and the take profit the highest; for a short the other way round. */
function orderFaults(
  isLong: boolean,
  { stopLoss, takeProfit }: ProtectRequest,
  price: Decimal | undefined,
): readonly string[] {
  const isBelow = (low: Decimal | undefined, high: Decimal | undefined): boolean =>
    low === undefined || high === undefined || (isLong ? low < high : low > high);
  const [loss, gain] = isLong ? ['below', 'above'] : ['above', 'below'];
  const side = isLong ? 'long' : 'short';
  const faults: string[] = [];
  if (!isBelow(stopLoss, price)) faults.push(`stopLoss: of a ${side} belongs ${loss} its price`);
  if (!isBelow(price, takeProfit)) faults.push(`takeProfit: of a ${side} belongs ${gain} its price`);
  if (!isBelow(stopLoss, takeProfit)) faults.push(`takeProfit: of a ${side} belongs ${gain} stopLoss`);
  return faults;
}
