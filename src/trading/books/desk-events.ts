// The port of desk events: everything that happened, in one order, each with a number that the next one has one more of.
//
// Events of the trading database are written in the transaction of what they tell. Those of elsewhere (the owner's changes,
// alarms, deployments) are added when they are known.

import type { Trade } from './journal.ts';

/** Kinds as people filter them; a trade's events are stored under the states of the trade. */
export const DESK_EVENT_KINDS = [
  'trade',
  'position',
  'protection',
  'refusal',
  'signal',
  'equity',
  'change',
  'alarm',
  'deployment',
  'start',
] as const;
export type DeskEventKind = (typeof DESK_EVENT_KINDS)[number];

/** Facts are those that were stored, by kind; see chat/desk-event-words.ts. */
export interface DeskEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The trade it belongs to, as it is now: only what never changes of it may be told. */
  readonly trade?: Trade;
}

export interface NewDeskEvent {
  readonly atMs: number;
  readonly kind: 'change' | 'alarm' | 'deployment' | 'start';
  readonly facts: object;
}

/** Where events are read from another list: what was read up to this position is written with them, once. */
export interface DeskEventSource {
  readonly name: string;
  readonly position: number;
}

export interface DeskEvents {
  /** Oldest first. */
  after(seq: number, limit: number): Promise<readonly DeskEvent[]>;
  /** Newest first; of all kinds where none is named. */
  before(seq: number, limit: number, kinds?: readonly DeskEventKind[]): Promise<readonly DeskEvent[]>;
  /** The numbers of the oldest and the newest that are kept; where there is none, the newest is one less. */
  bounds(): Promise<{ readonly oldest: number; readonly newest: number }>;
  cursorOf(seq: number): string;
  /** Undefined for a cursor that is none, and for one of another history. */
  seqOf(cursor: string): number | undefined;
  /** On disk when it resolves. */
  add(events: readonly NewDeskEvent[], source?: DeskEventSource): Promise<void>;
  positionOf(source: string): Promise<number | undefined>;
  /** A new run of the process begins: from here on numbers are told from those of any other history. */
  begin(): Promise<void>;
  /** Called after commits, whatever they held; until the returned function is called. */
  watch(listener: () => void): () => void;
}
