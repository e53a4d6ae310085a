// Leases: what only one process may do at a time, such as to own the desk. A holder that stops renewing its lease is replaced.
//
// Two things keep an old holder from doing harm. Whatever it writes carries its token, and the database takes nothing with an
// older one. And what it does elsewhere, such as sending an order, it does only while it is certain by its own clock that
// nobody else can have the lease yet.

/** How long a holder that is not heard of any more keeps a lease. */
export const LEASE_MS = 4000;

/**
 * How long a holder that could not renew it in time goes on asking whether it still has it. It sends nothing meanwhile. Longer than
 * most restarts and fail-overs of a database take; shorter than the minute after which an owner takes a stop away from a venue
 * that it does not know, which may be the next owner's.
 */
export const LATE_AT_MOST_MS = 30_000;

/** So much of it must be left when an order is sent: it has to arrive while nobody else can trade. */
const SEND_MARGIN_MS = 1000;

export const maySendUnder = (lease: Pick<Lease, 'remainingMs'>): boolean => lease.remainingMs() > SEND_MARGIN_MS;

/**
 * A lease that ran out has taken four seconds already, and ten are promised until somebody trades again: so long after its claim a start
 * waits for no venue any more. Whatever one tells later is taken up behind the start, as at a venue that was away.
 */
const TAKEN_OVER_WITHIN_MS = 4000;
/** All the same, for venues that answer at once beside one that does not. */
const LEAST_PATIENCE_MS = 250;

/** How long a start waits at one of its steps for venues, which may take so long at most. */
export type Patience = (mostMs: number) => number;

/** All the waits of a start under a lease end together; without one each has its own time. */
export const patienceUnder =
  (lease: Pick<Lease, 'heldMs'> | undefined): Patience =>
  (mostMs) =>
    lease === undefined ? mostMs : Math.min(mostMs, Math.max(LEAST_PATIENCE_MS, TAKEN_OVER_WITHIN_MS - lease.heldMs()));

/** The lease of whoever trades. */
export const DESK_LEASE = 'desk';

/** How a lease has ended: given back by its holder, had by somebody else, or lost because nobody could say who has it. */
export type LeaseEnd = 'released' | 'taken' | 'lost';

export interface Lease {
  readonly name: string;
  /** Larger than that of every holder before. */
  readonly token: number;
  /** Whether the holder before gave it back: one that did not has died, or was held up. */
  readonly wasReleased: boolean;
  /**
   * How long it is certainly held, if it is not renewed again; 0 when it has ended, and while its renewal is late. By a clock that
   * never jumps.
   */
  remainingMs(): number;
  /** How long ago it was claimed, by the same clock. */
  heldMs(): number;
  /** Resolves when it is held no longer; it is never held again. */
  readonly ended: Promise<LeaseEnd>;
  /** Somebody else may have it at once. To be called when everything is over that is done under it. */
  release(): Promise<void>;
  /** The same where nothing was done under it: whoever has it next is told of the holder before this one, and not of this one. */
  giveBack(): Promise<void>;
}

export interface LeaseHolder {
  /** As the holder gave it with its claim: where other processes reach it. */
  readonly address: string;
  readonly token: number;
}

/** What a holder works by, for whoever stands by for it or comes after it. */
export interface LeaseTerms {
  readonly token: number;
  readonly text: string;
}

export interface LeaseClaim {
  readonly address: string;
  /** Ends the wait for it. */
  readonly stop: AbortSignal;
}

export interface Leases {
  /** Waits until it is free, however long that takes; undefined at the stop signal. */
  claim(name: string, claim: LeaseClaim): Promise<Lease | undefined>;
  /** Tells who has it, at first and after every change; undefined is nobody. Ends when the function that is returned is called. */
  watch(name: string, listener: (holder: LeaseHolder | undefined) => void): () => void;
  /** Who has it now. */
  holder(name: string): Promise<LeaseHolder | undefined>;
  /** Told by its holder; it is kept beyond its end. Nothing is written where somebody else has the lease by now. */
  tell(lease: Pick<Lease, 'name' | 'token'>, terms: string): Promise<void>;
  /** What the last holder told who told anything. */
  told(name: string): Promise<LeaseTerms | undefined>;
  /** Ends what waits. Leases that are held run out, unless they were released before. */
  close(): Promise<void>;
}
