// The owner closes positions by hand: some of them or all, whole or a share; one request, accepted at once, a trade for each.

import type { Accounts } from '../accounts.ts';
import { type Journal, MAX_TRADES_OF_REQUEST, type Trade } from '../books/journal.ts';
import { openPositionsOf, sharesBehind } from '../books/open-positions.ts';
import { keyInWords, type Position } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { NAMELESS, type StrategyBook } from '../books/strategy-book.ts';
import { type Decimal, decimal, times } from '../decimal.ts';
import { windowOfOwnKeys } from '../intake/own-keys.ts';
import { KEY_FORM, readPositionKey } from '../intake/position-key.ts';
import { OWNER } from '../signal.ts';
import type { PositionSide } from '../venue.ts';
import type { AcceptedClose, PositionClose, PositionCloser } from './close-positions.ts';
import type { Dispatched } from './dispatch.ts';

export interface OwnerClose {
  readonly requestId: string;
  /** Who asked, shown where a signal shows the label of its key. */
  readonly actor: string;
  readonly positions: readonly string[] | 'all';
  /** Of each position, more than 0; 1 closes it whole, whatever it has become when its turn comes. */
  readonly share: Decimal;
  readonly idempotencyKey?: string | undefined;
}

/** What became of one position; `failed` is a fault of ours, `missing` says why there was nothing to close. */
export type ClosedPosition = { readonly key: string } & (
  | Ended
  | { readonly missing: string; readonly cause: 'not-found' | 'unknown-account' | 'too-many' }
);

/** The shares of one strategy, whole: the rest of each position stays. */
export interface ShareClose {
  readonly requestId: string;
  readonly actor: string;
  readonly shares: readonly Position[];
  readonly strategy: string;
}

export type OwnerClosed =
  | { readonly closed: readonly ClosedPosition[] }
  /** The idempotency key stands for an earlier request, which made these trades. */
  | { readonly duplicateOf: readonly [string, ...string[]] };

export interface OwnerCloserParts {
  readonly journal: Pick<Journal, 'claimant' | 'trade'>;
  readonly book: Pick<PositionBook, 'all' | 'allStrategies'>;
  readonly accounts: Pick<Accounts, 'has'>;
  readonly closer: PositionCloser;
  readonly idempotencyWindowMs: number;
  readonly nowMs: () => number;
  readonly onFault: (error: unknown, trade: Trade) => void;
}

type Ended = { readonly trade: Trade } & ({ readonly dispatched: Dispatched } | { readonly failed: true });
type Missing = Extract<ClosedPosition, { readonly missing: string }>;
type Wanted = Missing | { readonly key: string; readonly close: PositionClose };

const WHOLE = decimal('1');

export class OwnerCloser {
  readonly #parts: OwnerCloserParts;

  constructor(parts: OwnerCloserParts) {
    this.#parts = parts;
  }

  /** The open positions, each with its key; also those that the shares of strategies cancel out. */
  open(): readonly { readonly key: string; readonly position: Position }[] {
    const { book } = this.#parts;
    const open = openPositionsOf(book.all(), book.allStrategies());
    return open.map((position) => ({ key: keyInWords(position), position })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async close({ requestId, actor, positions, share, idempotencyKey }: OwnerClose): Promise<OwnerClosed> {
    // Looked for first: when the request comes again, its positions are gone, and nothing would be left to be claimed.
    const earlier = idempotencyKey && (await this.#claimant(idempotencyKey));
    if (earlier) return this.#duplicateOf(earlier);
    const wanted = this.#find(positions, share);
    const found = wanted.filter((each) => 'close' in each);
    const [first, ...further] = found.map(({ close }) => close);
    if (first === undefined) return { closed: wanted as readonly Missing[] };
    const closes = [first, ...further] as const;
    const request = { requestId, source: OWNER, label: actor, closes, idempotencyKey } as const;
    const answer = await this.#parts.closer.close(request);
    if ('refused' in answer) return this.#duplicateOf(answer.refused.originalRequestId);
    const ended = new Map(answer.accepted.map((each, index) => [found[index], this.#ended(each)]));
    const closed = wanted.map(async (each): Promise<ClosedPosition> => {
      const outcome = 'close' in each ? ended.get(each) : undefined;
      return outcome ? { key: each.key, ...(await outcome) } : (each as Missing);
    });
    return { closed: await Promise.all(closed) };
  }

  async closeShares({ requestId, actor, shares, strategy }: ShareClose): Promise<OwnerClosed> {
    const wanted = shares.filter((share) => this.#parts.accounts.has(share)).slice(0, MAX_TRADES_OF_REQUEST);
    const [first, ...further] = wanted.map((share) => ({ ...closeOf(share, WHOLE), strategy }));
    if (first === undefined) return { closed: [] };
    const closes = [first, ...further] as const;
    const request = { requestId, source: OWNER, label: actor, closes } as const;
    const answer = await this.#parts.closer.close(request);
    if ('refused' in answer) return this.#duplicateOf(answer.refused.originalRequestId);
    const closed = answer.accepted.map(async (each, index): Promise<ClosedPosition> => {
      const key = keyInWords(wanted[index] as Position);
      return { key, ...(await this.#ended(each)) };
    });
    return { closed: await Promise.all(closed) };
  }

  #claimant(idempotencyKey: string): Promise<string | undefined> {
    const { journal, idempotencyWindowMs, nowMs } = this.#parts;
    return journal.claimant(idempotencyKey, nowMs() - windowOfOwnKeys(idempotencyWindowMs));
  }

  async #duplicateOf(requestId: string): Promise<OwnerClosed> {
    const first = await this.#parts.journal.trade(requestId);
    const [, ...others] = first?.ofSignal.map((trade) => trade.requestId) ?? [];
    return { duplicateOf: [requestId, ...others] };
  }

  #find(positions: OwnerClose['positions'], share: Decimal): readonly Wanted[] {
    const open = new Map(this.open().map((each) => [each.key, each.position]));
    const keys = positions === 'all' ? [...open.keys()] : [...new Set(positions.map(wholeKey))];
    const wanted = keys.flatMap((key): readonly Wanted[] => {
      const position = open.get(key);
      if (position === undefined) return [{ key, missing: notThere(key), cause: 'not-found' }];
      if (!this.#parts.accounts.has(position)) return [{ key, missing: NOT_TRADED, cause: 'unknown-account' }];
      const shares = sharesBehind(position, this.#parts.book.allStrategies());
      if (shares.length === 0) return [{ key, close: closeOf(position, share) }];
      // Of everything, a part: there is nothing of it to be reduced.
      if (share < WHOLE) return positions === 'all' ? [] : [{ key, missing: CANCELED_OUT, cause: 'not-found' }];
      return closesOf(shares).map((close) => ({ key: keyInWords(close.position), close }));
    });
    return wanted.map((each, index) =>
      'close' in each && index >= MAX_TRADES_OF_REQUEST
        ? { key: each.key, missing: TOO_MANY, cause: 'too-many' }
        : each,
    );
  }

  #ended({ trade, dispatched }: AcceptedClose): Promise<Ended> {
    return dispatched.then(
      (outcome) => ({ trade, dispatched: outcome }),
      (error) => {
        this.#parts.onFault(error, trade);
        return { trade, failed: true as const };
      },
    );
  }
}

/** A position has one name, however it was spelled; what names none stays as it is. */
function wholeKey(text: string): string {
  const name = readPositionKey(text);
  return name ? keyInWords(name) : text;
}

const notThere = (key: string): string =>
  readPositionKey(key)
    ? `there is no open position ${key}; GET /positions lists those there are`
    : `this names no position; write it as ${KEY_FORM}`;
const NOT_TRADED = 'its account is not traded now; start Signalbox with that account again to close it';
const TOO_MANY = `more than ${MAX_TRADES_OF_REQUEST} positions cannot be closed at once; close again to close the rest`;

const CANCELED_OUT =
  'the shares of its strategies cancel each other out, so there is no part of it to close; close it whole, or send signals of those strategies';

/**
 * Shares that cancel each other out: those of one side, each by its name, and then the position that the others are left
 * with. The nameless share is among the others, because the close of a position is without a name.
 */
function closesOf(shares: readonly StrategyBook[]): readonly PositionClose[] {
  const ofSide = (side: PositionSide) => shares.filter((share) => share.side === side);
  const isNamed = (side: PositionSide): boolean => ofSide(side).every(({ strategy }) => strategy !== NAMELESS);
  const isFewer = ofSide('LONG').length <= ofSide('SHORT').length;
  const [named, others] = isNamed('LONG') && (isFewer || !isNamed('SHORT')) ? SIDES : SIDES.toReversed();
  const closes = ofSide(named as PositionSide).map((share) => ({ ...closeOf(share, WHOLE), strategy: share.strategy }));
  const [last] = ofSide(others as PositionSide);
  return last === undefined ? closes : [...closes, closeOf(last, WHOLE)];
}

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

const closeOf = (position: Position, share: Decimal): PositionClose =>
  share >= WHOLE
    ? { position, quantity: position.quantity, closesAll: true }
    : { position, quantity: times(position.quantity, share), closesAll: false };
