// From the form of the stops to what is sent: only what was changed, with what it will do in words, and what is wrong with it.

import type { Position, Protection } from '../../server/answers.ts';
import { plain, signed } from '../../ui/numbers.ts';
import { lasting } from '../../ui/times.ts';

export const UNITS = ['price', 'percent', 'ticks'] as const;
export type Unit = (typeof UNITS)[number];

/** As it is typed; empty is none. */
export interface TypedLevel {
  readonly value: string;
  readonly unit: Unit;
}

export interface TypedProtection {
  readonly stopLoss: TypedLevel;
  readonly takeProfit: TypedLevel;
  readonly trail: TypedLevel;
  readonly activationPrice: string;
  /** Minutes. */
  readonly maxHold: string;
}

/** What it guards. */
export interface GuardedShare {
  readonly side: Position['side'];
  readonly quantity: number;
  readonly entryPrice: number;
}

type Asked = Protection['targets'][number]['asked'];

const typedLevel = (asked: Asked | undefined, unitOfNone: Unit): TypedLevel => {
  const unit = UNITS.find((each) => asked?.[each] !== undefined) ?? unitOfNone;
  return { value: String(asked?.[unit] ?? ''), unit };
};

export const typedOf = (protection: Protection | undefined): TypedProtection => ({
  stopLoss: typedLevel(protection?.stopLoss?.asked, 'price'),
  takeProfit: typedLevel(protection?.takeProfit?.asked, 'price'),
  trail: typedLevel(protection?.trail?.asked, 'percent'),
  activationPrice: String(protection?.trail?.activationPrice ?? ''),
  maxHold: protection?.maxHoldSeconds == null ? '' : String(protection.maxHoldSeconds / 60),
});

export interface Change {
  /** For PUT /positions/{key}/protection; undefined where nothing is changed or something is wrong. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly words: readonly string[];
  /** By the name of the field. */
  readonly faults: Readonly<Partial<Record<keyof TypedProtection, string>>>;
}

const NAMES = { stopLoss: 'stop', takeProfit: 'target', trail: 'trail' } as const;
type LevelName = keyof typeof NAMES;

export function changeOf(before: TypedProtection, typed: TypedProtection, share: GuardedShare): Change {
  const body: Record<string, unknown> = {};
  const words: string[] = [];
  const faults: Partial<Record<keyof TypedProtection, string>> = {};
  for (const name of Object.keys(NAMES) as LevelName[]) {
    const [old, now] = [before[name], typed[name]];
    if (old.value === now.value && (old.unit === now.unit || now.value === '')) continue;
    const value = numberOf(now.value);
    if (value === undefined) faults[name] = 'is no number above 0';
    body[name] = value === null ? null : { [now.unit]: value };
    words.push(levelChange(name, old, now, share));
  }
  addActivation(before, typed, body, words, faults);
  if (before.maxHold !== typed.maxHold) {
    const minutes = numberOf(typed.maxHold);
    const seconds = minutes == null ? minutes : Math.round(minutes * 60);
    if (seconds === undefined || seconds === 0) faults.maxHold = 'is no number of minutes above 0';
    body.maxHoldSeconds = seconds;
    words.push(
      seconds == null ? 'The time stop is taken away.' : `It closes after ${lasting(seconds * 1000)} at most.`,
    );
  }
  const isChanged = Object.keys(body).length > 0;
  return { body: isChanged && Object.keys(faults).length === 0 ? body : undefined, words, faults };
}

/** It belongs to the trail, which must be named with it. */
function addActivation(
  before: TypedProtection,
  typed: TypedProtection,
  body: Record<string, unknown>,
  words: string[],
  faults: Partial<Record<keyof TypedProtection, string>>,
): void {
  const price = numberOf(typed.activationPrice);
  const trail = numberOf(typed.trail.value);
  if (price === undefined) faults.activationPrice = 'is no price';
  else if (price !== null && trail === null) faults.activationPrice = 'begins a trail, and there is none';
  const isChanged = before.activationPrice !== typed.activationPrice;
  if (!isChanged && body.trail === undefined) return;
  if (trail !== null && trail !== undefined) body.trail = { [typed.trail.unit]: trail };
  if (typeof price === 'number' && trail !== null) body.activationPrice = price;
  if (!isChanged || trail === null) return;
  words.push(
    price === null ? 'The trail begins at once.' : `The trail begins when ${typed.activationPrice} is reached.`,
  );
}

/** Null where nothing is typed; undefined where that is no number above 0. */
function numberOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function levelChange(name: LevelName, old: TypedLevel, now: TypedLevel, share: GuardedShare): string {
  const called = `The ${NAMES[name]}`;
  if (now.value.trim() === '') return `${called} is taken away.`;
  const level = `${now.value}${{ price: '', percent: ' %', ticks: ' ticks' }[now.unit]}`;
  const moves = old.value === '' ? `${called} is set to ${level}` : `${called} moves from ${old.value} to ${level}`;
  return `${moves}${name === 'trail' ? '' : resultWords(name, now, share)}.`;
}

/** What closing there would come to, where that can be told: ticks are known to the venue alone. */
function resultWords(name: 'stopLoss' | 'takeProfit', { value, unit }: TypedLevel, share: GuardedShare): string {
  const given = numberOf(value);
  if (given === null || given === undefined || unit === 'ticks') return '';
  const { entryPrice, quantity, side } = share;
  const [isLong, isLoss] = [side === 'LONG', name === 'stopLoss'];
  const price = unit === 'price' ? given : entryPrice * (1 + ((isLong === isLoss ? -1 : 1) * given) / 100);
  const result = (price - entryPrice) * quantity * (isLong ? 1 : -1);
  return `, which closes ${plain(quantity)} at about ${signed(result)} USDT`;
}
