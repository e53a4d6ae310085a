// The life of a trade as steps: received, through the gates, sent, filled, protected, told; each with what passed since the one before.

import type { TradeDetail } from '../../server/answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { guardWords } from '../protection/guard-words.ts';
import { askedParts } from './asked-stops.ts';
import { sizeOf, sourceWords, venueOf } from './trade-words.ts';

export interface Step {
  /** As the journal names it. */
  readonly kind: string;
  readonly at: number;
  /** What passed since the step before it. */
  readonly sinceMs: number;
  readonly title: string;
  readonly words: string;
  readonly tone: Tone;
}

/** Its detail is what the signal asked for. */
const STOPS_ASKED = 'stops-asked';

type StepWords = readonly [title: string, tone?: Tone];

const EVENTS: Readonly<Record<string, StepWords>> = {
  accepted: ['Passed the gates', 'accent'],
  [STOPS_ASKED]: ['Asks for stops'],
  sending: ['Sent', 'accent'],
  submitted: ['Resting at the venue', 'accent'],
  partially_filled: ['Partly filled', 'accent'],
  filled: ['Filled', 'up'],
  canceled: ['Canceled'],
  rejected: ['Refused', 'down'],
  expired: ['Expired'],
  unknown: ['No clear answer', 'warn'],
  notified: ['Told', 'accent'],
  'cancel-asked': ['Cancel asked for'],
  'cancel-failed': ['Could not be canceled', 'warn'],
  'orders-canceled': ['Took back a resting order'],
  'position-differs': ['Held something else than the alert said', 'warn'],
  'share-not-there': ['Closed less than asked', 'warn'],
  'closes-all': ['Closes all that is held'],
  'leverage-clamped': ['Leverage lowered'],
  'quantity-rounded': ['Quantity rounded to the market’s step'],
  'price-rounded': ['Price rounded to the market’s tick'],
};

/** Where one of its fills is the news, the step stands at the time of that fill. */
const FILLED: ReadonlySet<string> = new Set(['filled', 'partially_filled']);

export function timelineOf(trade: TradeDetail): readonly Step[] {
  const { receivedAt, source, keyLabel, protection, events, fills } = trade;
  const steps: Omit<Step, 'sinceMs'>[] = [
    {
      kind: 'received',
      at: receivedAt,
      title: 'Received',
      words: `${sourceWords(source)}, ${keyLabel}`,
      tone: 'accent',
    },
  ];
  const lastFillAt = fills.at(-1)?.at;
  for (const { at, kind, detail } of events) {
    const [title, tone = 'plain'] = EVENTS[kind] ?? [kind.replaceAll(/[-_]/g, ' ')];
    // The venue has a clock of its own, so its time counts only where it makes sense beside ours.
    const filledAt =
      FILLED.has(kind) && lastFillAt !== undefined ? between(steps.at(-1)?.at ?? at, lastFillAt, at) : at;
    steps.push({ kind, at: filledAt, title, tone, words: wordsOf(kind, detail, trade) });
  }
  if (protection !== null && protection.entryPrice !== null) {
    const [title, at] = protectedBy(protection, receivedAt, steps);
    steps.push({ kind: 'protected', at, title, tone: 'up', words: guardWords(protection) });
  }
  steps.sort((a, b) => a.at - b.at);
  return steps.map((step, index) => ({ ...step, sinceMs: step.at - (steps[index - 1]?.at ?? step.at) }));
}

/** Stops that are older than the signal were those of what was held before: its first fill has changed them. */
function protectedBy(
  { createdAt }: NonNullable<TradeDetail['protection']>,
  receivedAt: number,
  steps: readonly Omit<Step, 'sinceMs'>[],
): readonly [title: string, at: number] {
  if (createdAt >= receivedAt) return ['Protected', createdAt];
  const filled = steps.find(({ kind }) => FILLED.has(kind));
  return ['Changed the stops of all that is held', filled?.at ?? receivedAt];
}

const between = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

function wordsOf(kind: string, detail: string | null, trade: TradeDetail): string {
  if (kind === STOPS_ASKED) return askedParts(detail).join(' · ');
  if (FILLED.has(kind)) return filledWords(detail) + (kind === 'filled' ? askedBehind(trade) : '');
  if (kind === 'sending')
    return `to ${venueOf(trade)}${detail === null || detail === 'open' ? '' : `: ${detail.replaceAll('_', ' ')}`}`;
  if (kind === 'accepted') return detail ?? 'key, limits, duplicates, kill switch; it is on disk';
  return detail ?? '';
}

/** The journal has the venue's id before it, which stands among the orders. */
function filledWords(detail: string | null): string {
  const [, quantity, price] = /, ([\d.]+) at ([\d.]+)$/.exec(detail ?? '') ?? [];
  return price === undefined ? (detail ?? '') : `${plain(Number(quantity))} at ${plain(Number(price))}`;
}

function askedBehind(trade: TradeDetail): string {
  const { asked } = sizeOf(trade);
  return asked === undefined ? '' : ` (${asked} asked)`;
}

/** What the signal itself asked for, a line each; undefined where it asked for nothing. */
export function askedStopParts({ events }: TradeDetail): readonly string[] | undefined {
  const asked = events.find(({ kind }) => kind === STOPS_ASKED);
  return asked && askedParts(asked.detail);
}

/** From the signal to its last fill; undefined before there is one. */
export const tookMs = (steps: readonly Step[]): number | undefined => {
  const [first, filled] = [
    steps.find(({ kind }) => kind === 'received'),
    steps.findLast(({ kind }) => kind === 'filled'),
  ];
  return first === undefined || filled === undefined ? undefined : filled.at - first.at;
};
