// The stops that a signal or the owner asks for, with everything about them that can be wrong before there is a position.

import { ACTION_MEANING } from '../../trading/action.ts';
import { type Decimal, decimal, plus, ZERO } from '../../trading/decimal.ts';
import { LEVEL_UNITS, type Level } from '../../trading/level.ts';
import type { AskedChange } from '../../trading/protection/named-parts.ts';
import type { AskedTarget, ProtectRequest } from '../../trading/signal.ts';
import type { PositionSide } from '../../trading/venue.ts';
import type { ProtectFields } from './protection-schemas.ts';
import type { SignalBody } from './schemas.ts';

const FIELDS = [
  ...[
    'trailPercent',
    'stopLoss',
    'takeProfit',
    'trail',
    'activationPrice',
    'targets',
    'breakEvenAfter',
    'maxHoldSeconds',
  ],
] as readonly (keyof ProtectFields)[];

/** Undefined when the signal asks for none. */
export function protectOf(
  signal: Omit<SignalBody, 'apiKey'>,
  price: Decimal | undefined,
  faults: string[],
): ProtectRequest | undefined {
  const given = FIELDS.filter((field) => (signal as ProtectFields)[field] !== undefined);
  if (given.length === 0) return undefined;
  const { closes, positionSide } = ACTION_MEANING[signal.action];
  if (closes) {
    faults.push(...given.map((field) => `${field}: protects a new position, remove it from ${signal.action}`));
    return undefined;
  }
  const asked = askedOf(signal, positionSide, faults) as ProtectRequest;
  const { targets, breakEvenAfter } = asked;
  if (breakEvenAfter !== undefined && targets === undefined)
    faults.push('breakEvenAfter: counts targets, and there are none; send targets with it');
  faults.push(...orderFaults(positionSide === 'LONG', asked, price));
  return asked;
}

type Part = 'stopLoss' | 'takeProfit' | 'trail';

/** What is asked for, with the faults that any position would have. */
export function askedOf(fields: ProtectFields, side: PositionSide, faults: string[]): AskedChange {
  const { trailPercent, stopLoss, takeProfit, trail, activationPrice, targets, breakEvenAfter, maxHoldSeconds } =
    fields;
  if (given(trailPercent) && given(trail)) faults.push('trail: says the same as trailPercent, send one of the two');
  if (given(takeProfit) && given(targets))
    faults.push('targets: take the place of takeProfit, send one of the two; a target with share 1 closes all of it');
  const trailed = trailPercent === undefined ? trail : trailPercent === null ? null : { percent: trailPercent };
  const levels = { stopLoss, takeProfit, trail: trailed };
  const asked: Partial<Record<Part, Level | null>> = {};
  for (const [part, level] of Object.entries(levels) as [Part, (typeof levels)[Part]][]) {
    const name = part === 'trail' && given(trailPercent) ? 'trailPercent' : part;
    if (level !== undefined) asked[part] = level === null ? null : levelOf(name, level, side, faults);
  }
  return {
    ...asked,
    ...(activationPrice !== undefined && { activationPrice: checkedActivation(activationPrice, asked.trail, faults) }),
    ...(targets !== undefined && { targets: targets && targetsOf(targets, side, faults) }),
    ...(breakEvenAfter !== undefined && { breakEvenAfter: checkedBreakEven(breakEvenAfter, targets, faults) }),
    ...(maxHoldSeconds !== undefined && { maxHoldSeconds }),
  };
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

type Sent = number | { readonly price?: number; readonly percent?: number; readonly ticks?: number };

function levelOf(name: string, sent: Sent, side: PositionSide, faults: string[]): Level {
  const units = typeof sent === 'number' ? { price: sent } : sent;
  const unit = LEVEL_UNITS.find((each) => units[each] !== undefined) ?? 'price';
  const value = decimal(units[unit] ?? 0);
  if (value === ZERO) faults.push(`${name}: is smaller than any market trades at, send a higher one`);
  const isBelow = (name === 'stopLoss') === (side === 'LONG') && !name.startsWith('trail');
  if (unit === 'percent' && isBelow && value >= HUNDRED)
    faults.push(`${name}: is 100 percent below the fill or more, where no price is; send less`);
  return { unit, value };
}
const HUNDRED = decimal(100);
const ONE = decimal(1);

function targetsOf(sent: NonNullable<ProtectFields['targets']>, side: PositionSide, faults: string[]) {
  const targets = sent.map(({ share, ...level }, index): AskedTarget => {
    const exact = decimal(share);
    if (exact === ZERO) faults.push(`targets.${index}.share: is smaller than any position, send more`);
    return { level: levelOf(`targets.${index}`, level, side, faults), share: exact };
  });
  if (targets.map(({ share }) => share).reduce(plus, ZERO) > ONE)
    faults.push('targets: close more than all of it, send shares that are 1 together or less');
  for (const [index, { level }] of targets.entries()) {
    const before = targets[index - 1]?.level;
    if (before?.unit !== level.unit) continue;
    const isFurther =
      level.unit === 'price' && side === 'SHORT' ? level.value < before.value : level.value > before.value;
    if (!isFurther)
      faults.push(`targets.${index}: belongs further away than the one before it, send the nearest first`);
  }
  return targets;
}

function checkedActivation(price: number, trail: Level | null | undefined, faults: string[]): Decimal {
  if (!trail) faults.push('activationPrice: says when a trail begins, send trail or trailPercent with it');
  const exact = decimal(price);
  if (exact === ZERO) faults.push('activationPrice: is smaller than any market trades at, send a higher one');
  return exact;
}

function checkedBreakEven(after: number | null, targets: ProtectFields['targets'], faults: string[]): number | null {
  if (after !== null && targets && after > targets.length)
    faults.push(`breakEvenAfter: counts targets, and there are ${targets.length}; send 1 to ${targets.length}`);
  return after;
}

/** For a long the stop loss is the lowest and the take profit the highest; for a short the other way round. */
function orderFaults(isLong: boolean, asked: ProtectRequest, limit: Decimal | undefined): readonly string[] {
  const isBelow = (low: Decimal | undefined, high: Decimal | undefined): boolean =>
    low === undefined || high === undefined || (isLong ? low < high : low > high);
  const [loss, gain] = isLong ? ['below', 'above'] : ['above', 'below'];
  const side = isLong ? 'long' : 'short';
  const faults: string[] = [];
  const stopLoss = namedPrice(asked.stopLoss);
  const gains = [
    ...[['takeProfit', namedPrice(asked.takeProfit)] as const],
    ...(asked.targets ?? []).map(({ level }, index) => [`targets.${index}`, namedPrice(level)] as const),
  ];
  if (!isBelow(stopLoss, limit)) faults.push(`stopLoss: of a ${side} belongs ${loss} its price`);
  for (const [name, level] of gains) {
    if (!isBelow(limit, level)) faults.push(`${name}: of a ${side} belongs ${gain} its price`);
    if (!isBelow(stopLoss, level)) faults.push(`${name}: of a ${side} belongs ${gain} stopLoss`);
  }
  return faults;
}

/** What is measured from the fill is on its right side by itself. */
const namedPrice = (level: Level | undefined): Decimal | undefined =>
  level?.unit === 'price' ? level.value : undefined;
