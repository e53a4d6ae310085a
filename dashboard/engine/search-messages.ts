// What a page and the workers of a parameter search say to each other. Every message is answered by one answer.

import type { InputSpace, InputVariation } from '../../src/pine/index.ts';
import type { FigureList } from '../../src/pine/light.ts';
import type { StartMessage } from './messages.ts';

/** What all runs of a search have in common. */
export type SearchGround = Omit<StartMessage, 'kind' | 'inputs'>;

/** Values of inputs by title. */
export type RunInputs = Readonly<Record<string, unknown>>;

/** Which values are there to try? */
export interface SpaceQuestion extends Pick<SearchGround, 'source' | 'libraries'> {
  readonly kind: 'space';
  readonly varied: Readonly<Record<string, InputVariation>>;
  readonly fixed: RunInputs;
}

/** Comes before the first runs: the script is compiled once, and the bars are sent once. */
export interface PrepareMessage extends SearchGround {
  readonly kind: 'prepare';
}

export interface TryMessage {
  readonly kind: 'try';
  readonly runs: readonly RunInputs[];
}

export type ToSearchWorker = SpaceQuestion | PrepareMessage | TryMessage;

/** What became of one run: its figures, or why it has none. */
export type RunOutcome = { readonly figures: FigureList } | { readonly fault: string };

export type FromSearchWorker =
  | { readonly kind: 'space'; readonly space: InputSpace }
  | { readonly kind: 'prepared' }
  /** In the order in which they were asked for. */
  | { readonly kind: 'tried'; readonly outcomes: readonly RunOutcome[] }
  /** Nothing could be done, in words. */
  | { readonly kind: 'fault'; readonly message: string };

const KINDS: readonly string[] = ['space', 'prepare', 'try'] satisfies ToSearchWorker['kind'][];

export const isForSearch = (message: { readonly kind: string }): message is ToSearchWorker =>
  KINDS.includes(message.kind);
