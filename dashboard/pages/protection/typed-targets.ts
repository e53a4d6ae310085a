// Several targets as they are typed: each a level and the share that it closes there, in percent of what is held now.

import type { Protection } from '../../server/answers.ts';
import { fixed, plain, signed } from '../../ui/numbers.ts';
import { type GuardedShare, levelText, numberOf, resultAt, type TypedLevel, typedLevel } from './typed-level.ts';

export interface TypedTarget extends TypedLevel {
  /** Percent. */
  readonly share: string;
}

/** As many as the server takes. */
export const MOST_TARGETS = 5;

/** Those that are still to be reached. Targets that are sent anew begin with what is held then, so their shares are of that. */
export function typedTargets(targets: Protection['targets']): readonly TypedTarget[] {
  const left = 1 - sumOf(targets.filter(({ isHit }) => isHit).map(({ share }) => share));
  return targets
    .filter(({ isHit }) => !isHit)
    .map(({ asked, share }) => ({
      ...typedLevel(asked, 'price'),
      share: String(Number(((share / left) * 100).toFixed(2))),
    }));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The next one closes what the others leave. */
export function withOneMore(targets: readonly TypedTarget[]): readonly TypedTarget[] {
  const rest = 100 - sumOf(targets.map(({ share }) => numberOf(share) ?? 0));
  const share = rest > 0 ? String(Number(rest.toFixed(2))) : '';
  return [...targets, { value: '', unit: targets.at(-1)?.unit ?? 'price', share }];
}

export interface SentTarget {
  readonly share: number;
  readonly price?: number;
  readonly percent?: number;
  readonly ticks?: number;
}

/** As they are sent, or what is wrong with them. */
export function sentTargets(targets: readonly TypedTarget[]): readonly SentTarget[] | string {
  const sent: SentTarget[] = [];
  for (const [index, { value, unit, share }] of targets.entries()) {
    const [level, percent] = [numberOf(value), numberOf(share)];
    if (typeof level !== 'number') return `target ${index + 1} needs a number above 0`;
    if (typeof percent !== 'number' || percent > 100)
      return `the share of target ${index + 1} is no percentage up to 100`;
    sent.push({ [unit]: level, share: Number((percent / 100).toFixed(6)) });
  }
  const together = sumOf(sent.map(({ share }) => share));
  if (together > 1 + 1e-9) return `the targets close ${fixed(together * 100, 0)} % together, and 100 % is all there is`;
  return sent;
}

/** What each will close, and what no target does. */
export function targetWords(targets: readonly TypedTarget[], guarded: GuardedShare): string {
  const words = targets.map((target) => {
    const share = numberOf(target.share) ?? 0;
    const result = resultAt(target, guarded, false);
    const about = result === undefined ? '' : ` at about ${signed((result * share) / 100)} USDT`;
    return `${levelText(target)} closes ${plain(share)} %${about}`;
  });
  const rest = 100 - sumOf(targets.map(({ share }) => numberOf(share) ?? 0));
  const open = rest > 0.005 ? `; ${plain(Number(rest.toFixed(2)))} % stays open` : '';
  return `Targets: ${words.join(', ')}${open}.`;
}
