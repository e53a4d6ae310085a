// From the form of the stops to what is sent: only what was changed, with what it will do in words, and what is wrong with it.

import type { Protection } from '../../server/answers.ts';
import { plain, signed } from '../../ui/numbers.ts';
import { lasting } from '../../ui/times.ts';
import { ordinal } from './guard-words.ts';
import {
  amountFault,
  type GuardedShare,
  levelText,
  numberOf,
  resultAt,
  type TypedLevel,
  typedLevel,
} from './typed-level.ts';
import { sentTargets, type TypedTarget, targetWords, typedTargets } from './typed-targets.ts';

/** As it is typed; empty is none. */
export interface TypedProtection {
  readonly stopLoss: TypedLevel;
  readonly takeProfit: TypedLevel;
  /** In place of the take profit. */
  readonly targets: readonly TypedTarget[];
  /** After so many of them the stop moves to the entry price. */
  readonly breakEvenAfter: string;
  readonly trail: TypedLevel;
  readonly activationPrice: string;
  /** Minutes. */
  readonly maxHold: string;
}

export function typedOf(protection: Protection | undefined): TypedProtection {
  const targets = protection?.targets ?? [];
  const toCome = (protection?.breakEvenAfter ?? 0) - targets.filter(({ isHit }) => isHit).length;
  return {
    stopLoss: typedLevel(protection?.stopLoss?.asked, 'price'),
    takeProfit: typedLevel(protection?.takeProfit?.asked, 'price'),
    targets: typedTargets(targets),
    breakEvenAfter: toCome > 0 ? String(toCome) : '',
    trail: typedLevel(protection?.trail?.asked, 'percent'),
    activationPrice: String(protection?.trail?.activationPrice ?? ''),
    maxHold: protection?.maxHoldSeconds == null ? '' : String(protection.maxHoldSeconds / 60),
  };
}

export const NO_PROTECTION = typedOf(undefined);

/** By the name of the field. */
export type ProtectionFaults = Readonly<Partial<Record<keyof TypedProtection, string>>>;

export interface Change {
  /** For PUT /positions/{key}/protection; undefined where nothing is changed or something is wrong. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly words: readonly string[];
  readonly faults: ProtectionFaults;
}

/** What is gathered of a change, part by part. */
interface Draft {
  readonly body: Record<string, unknown>;
  readonly words: string[];
  readonly faults: Partial<Record<keyof TypedProtection, string>>;
}

export function changeOf(before: TypedProtection, typed: TypedProtection, share: GuardedShare): Change {
  const draft: Draft = { body: {}, words: [], faults: {} };
  addLevels(draft, before, typed, share);
  addTargets(draft, before, typed, share);
  addActivation(draft, before, typed);
  addHold(draft, before, typed);
  const { body, words, faults } = draft;
  const isChanged = Object.keys(body).length > 0;
  return { body: isChanged && Object.keys(faults).length === 0 ? body : undefined, words, faults };
}

const NAMES = { stopLoss: 'stop', takeProfit: 'target', trail: 'trail' } as const;
type LevelName = keyof typeof NAMES;

function addLevels(draft: Draft, before: TypedProtection, typed: TypedProtection, share: GuardedShare): void {
  for (const name of Object.keys(NAMES) as LevelName[]) {
    const [old, now] = [before[name], typed[name]];
    if (old.value === now.value && (old.unit === now.unit || now.value === '')) continue;
    const value = numberOf(now.value);
    if (value === undefined) draft.faults[name] = amountFault(now.value);
    draft.body[name] = value === null ? null : { [now.unit]: value };
    draft.words.push(levelChange(name, old, now, share));
  }
}

function levelChange(name: LevelName, old: TypedLevel, now: TypedLevel, share: GuardedShare): string {
  const called = `The ${NAMES[name]}`;
  if (now.value.trim() === '') return `${called} is taken away.`;
  const level = levelText(now);
  const moves =
    old.value === '' ? `${called} is set to ${level}` : `${called} moves from ${levelText(old)} to ${level}`;
  const result = name === 'trail' ? undefined : resultAt(now, share, name === 'stopLoss');
  return result === undefined
    ? `${moves}.`
    : `${moves}, which closes ${plain(share.quantity)} at about ${signed(result)} USDT.`;
}

/** New targets have no break-even unless it is sent with them, so the two go together. */
function addTargets(draft: Draft, before: TypedProtection, typed: TypedProtection, share: GuardedShare): void {
  const { targets, breakEvenAfter } = typed;
  if (isSame(before, typed)) return;
  if (targets.length === 0) {
    draft.body.targets = null;
    draft.words.push('The targets are taken away.');
    return;
  }
  const sent = sentTargets(targets);
  if (typeof sent === 'string') {
    draft.faults.targets = sent;
    return;
  }
  draft.body.targets = sent;
  draft.words.push(targetWords(targets, share));
  if (breakEvenAfter === '') return;
  draft.body.breakEvenAfter = Number(breakEvenAfter);
  draft.words.push(`The stop moves to entry after the ${ordinal(Number(breakEvenAfter))} target.`);
}

const isSame = (before: TypedProtection, { targets, breakEvenAfter }: TypedProtection): boolean =>
  JSON.stringify([before.targets, before.breakEvenAfter]) === JSON.stringify([targets, breakEvenAfter]) ||
  (targets.length === 0 && before.targets.length === 0);

/** It belongs to the trail, which must be named with it. */
function addActivation({ body, words, faults }: Draft, before: TypedProtection, typed: TypedProtection): void {
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

function addHold({ body, words, faults }: Draft, before: TypedProtection, typed: TypedProtection): void {
  if (before.maxHold === typed.maxHold) return;
  const minutes = numberOf(typed.maxHold);
  const seconds = minutes == null ? minutes : Math.round(minutes * 60);
  if (seconds === undefined || seconds === 0) faults.maxHold = 'is no number of minutes above 0';
  body.maxHoldSeconds = seconds;
  words.push(seconds == null ? 'The time stop is taken away.' : `It closes after ${lasting(seconds * 1000)} at most.`);
}
