// One request to a venue's trading interface before it is signed, and what the venue's answer can mean.

import { VenueError, type VenueFailure } from '../../trading/venue.ts';
import { HIDDEN, plainWords } from '../plain-words.ts';

export type CallParams = Readonly<Record<string, string | number | boolean>>;

export interface VenueCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The part of the venue's interface, as the signer names it. */
  readonly section: string | readonly string[];
  readonly path: string;
  readonly params?: CallParams;
  /** Instead of them, where the venue wants a list. */
  readonly list?: readonly (CallParams | string)[];
  /** How much of which of the venue's limits it uses up; one that is not named here is not touched. */
  readonly cost: Readonly<Record<string, number>>;
  /** It is not sent after this moment, however long it has had to wait for the venue's limits. */
  readonly notAfterMs?: number | undefined;
}

/**
 * What a venue means by a refusal, whatever its own code for it is.
 * - `busy`: too many requests. `overloaded`: it did not look at the request. `clock`: our timestamp is outside its window.
 * - `unclear`: it may or may not have done what it was asked for.
 * - `duplicate-id`: it has an order with this client order id. `no-order`: it has none.
 * - `not-modified`: it already is as it was asked to be. `position-mode`: the account's mode is another one than we said.
 * - `nothing-to-reduce`: a reduce-only order without a position. `would-trigger`: the price is past the stop already.
 */
export type RefusalMeaning =
  | 'busy'
  | 'overloaded'
  | 'clock'
  | 'unclear'
  | 'duplicate-id'
  | 'no-order'
  | 'no-market'
  | 'not-modified'
  | 'position-mode'
  | 'nothing-to-reduce'
  | 'would-trigger'
  | 'credentials'
  | 'other';

const FAILURE_OF: Partial<Record<RefusalMeaning, VenueFailure>> = {
  busy: 'not-sent',
  overloaded: 'not-sent',
  clock: 'not-sent',
  unclear: 'unknown',
  'duplicate-id': 'duplicate',
};

/** The venue has answered, and the answer is no, or that it does not know. */
export class VenueRefusal extends VenueError {
  readonly meaning: RefusalMeaning;
  /** The venue's own. */
  readonly code: string;

  constructor(meaning: RefusalMeaning, code: string, message: string) {
    super(FAILURE_OF[meaning] ?? 'rejected', message);
    this.name = 'VenueRefusal';
    this.meaning = meaning;
    this.code = code;
  }

  /** The same without a secret of ours, should the venue repeat it. */
  without(secret: string): VenueRefusal {
    return new VenueRefusal(this.meaning, this.code, this.message.replaceAll(secret, HIDDEN));
  }
}

/** An answer that says neither yes nor no: whatever was asked for may have been done, only reading it back can tell. */
export const senselessAnswer = (title: string): VenueRefusal =>
  new VenueRefusal('unclear', '', `${title} gave an answer that makes no sense; check its address`);

/** What one of a venue's codes means, and what its reader can do about it, where that is known. */
export type CodeMeaning = readonly [meaning: RefusalMeaning, remedy?: string];
export type CodeMeanings = Readonly<Record<string, CodeMeaning>>;

/** With the venue's own words and the remedy. */
export const refusalOfCode = (
  title: string,
  code: string,
  words: string,
  [meaning, remedy]: CodeMeaning,
): VenueRefusal =>
  new VenueRefusal(
    meaning,
    code,
    `${title}: ${words} (${plainWords(code)})${remedy === undefined ? '' : `; ${remedy}`}`,
  );

/** Whether an error is the venue's refusal with one of these meanings. */
export const isRefusal = (error: unknown, ...meanings: readonly RefusalMeaning[]): error is VenueRefusal =>
  error instanceof VenueRefusal && meanings.includes(error.meaning);

/** What is asked before an order is sent: however it fails, the order has not left. */
export async function beforeSending<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof VenueError) || error.failure !== 'unknown') throw error;
    throw new VenueError('not-sent', `${error.message}; nothing was sent`, { cause: error });
  }
}

/** What is asked after the venue has taken a request: however it fails, what was asked for is done. */
export async function afterSending<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof VenueError) || error.failure === 'unknown') throw error;
    throw new VenueError('unknown', `the venue took it, and what became of it could not be read: ${error.message}`, {
      cause: error,
    });
  }
}
