// A kill switch that closes positions, in a replay: what it closed in the past is closed at the moments of the past, each behind
// what stood before it in its lane. Only when a look of the past would have found nothing more, the switch itself looks for what
// else is held, which is something only where the replay trades otherwise.

import type { AuditEntry, KillSwitch } from '../intake/controls.ts';
import { RESTRICTION, type Restriction, subjectInWords } from '../intake/restrictions.ts';
import type { RecordedTrade } from './recorded-past.ts';
import type { ReplayEvent } from './replay-event.ts';
import { KILL_SWITCH } from './timeline.ts';

interface Held {
  readonly entry: AuditEntry;
  /** Closes of the past that are still to come. */
  readonly waitsFor: Set<RecordedTrade>;
  /** When it is made whole, if they have come by then. */
  wholeAtMs: number;
}

/** So often a switch that is on looks whether anything is left. What slipped through, and was found by none, stayed. */
const LOOK_EVERY_MS = 1000;

export class HeldFlattens {
  /** By the label of the switch's closes. */
  readonly #held = new Map<string, Held>();
  /** By label too: the closes, and the moments at which the switch was turned. */
  readonly #closes = new Map<string, RecordedTrade[]>();
  readonly #turns = new Map<string, number[]>();

  constructor(events: readonly ReplayEvent[]) {
    for (const event of events) {
      if (event.kind === 'close') push(this.#closes, event.trade.trade.keyLabel, event.trade);
      const label = event.kind === 'control' ? labelOf(event.entry) : undefined;
      if (label !== undefined) push(this.#turns, label, event.atMs);
    }
  }

  /** The change as it is to be made now: without `flatten`. */
  turn(entry: AuditEntry): AuditEntry {
    const label = labelOf(entry);
    if (label === undefined) return entry;
    this.#held.delete(label);
    if (!switchIn(entry)?.flatten) return entry;
    const untilMs = this.#turns.get(label)?.find((ms) => ms > entry.atMs) ?? Number.POSITIVE_INFINITY;
    const ahead = (this.#closes.get(label) ?? []).filter(
      ({ trade: { receivedAtMs } }) => receivedAtMs >= entry.atMs && receivedAtMs <= untilMs,
    );
    this.#held.set(label, { entry, waitsFor: new Set(ahead), wholeAtMs: entry.atMs + LOOK_EVERY_MS });
    return withoutFlatten(entry);
  }

  closed(close: RecordedTrade, atMs: number): void {
    const held = this.#held.get(close.trade.keyLabel);
    if (held?.waitsFor.delete(close)) held.wholeAtMs = atMs + LOOK_EVERY_MS;
  }

  /** The changes that are to be made whole until that moment, each with its own. */
  takeDue(untilMs: number): readonly { readonly entry: AuditEntry; readonly atMs: number }[] {
    const due = [...this.#held].filter(([, { waitsFor, wholeAtMs }]) => waitsFor.size === 0 && wholeAtMs <= untilMs);
    for (const [label] of due) this.#held.delete(label);
    return due.map(([, { entry, wholeAtMs }]) => ({ entry, atMs: wholeAtMs })).sort((a, b) => a.atMs - b.atMs);
  }
}

function push<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

/** Under which label the switch closes that a change has turned; undefined for other changes. */
function labelOf({ setting, before, after }: AuditEntry): string | undefined {
  if (setting === 'killSwitch') return KILL_SWITCH;
  const row = after ?? before;
  if (setting !== RESTRICTION || row === null) return undefined;
  return `${KILL_SWITCH} of ${subjectInWords(JSON.parse(row) as Restriction)}`;
}

function switchIn({ setting, after }: AuditEntry): KillSwitch | undefined {
  if (after === null) return undefined;
  return setting === RESTRICTION ? (JSON.parse(after) as Restriction).killSwitch : (JSON.parse(after) as KillSwitch);
}

function withoutFlatten(entry: AuditEntry): AuditEntry {
  const killSwitch = { ...switchIn(entry), flatten: false };
  const value = entry.setting === RESTRICTION ? { ...JSON.parse(entry.after ?? '{}'), killSwitch } : killSwitch;
  return { ...entry, after: JSON.stringify(value) };
}
