// Asks a venue what the key of an account may do, and lets nothing be opened with it before that is known.
//
//   start ──answered──▶ passed                 (a key that may withdraw ends the start)
//     └────shut───▶ asked again every while, and before every entry ──answered──▶ passed, or refused until the next start
//
// An account is shut while its venue is away, refuses its key, or has it in another position mode than it is to have. That must not
// keep other accounts from being guarded, nor what it holds itself from being closed as soon as its venue takes that. A key that is
// refused while it is traded shuts it like one that is refused at a start.
//
// So is one whose owner changes the position mode at the venue while it is traded: an order for the one mode may mean something else in
// the other. The mode is read again whenever the account is compared with its venue; closes go by the one that it has now.

import { errorText } from '../errors/error-text.ts';
import { every } from '../timing/every.ts';
import type { Timers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import type { PermissionVerdict } from '../trading/key-permissions.ts';
import { type Patience, patienceUnder } from '../trading/leases.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { isClosing, type PositionMode, type Venue, VenueError, whyAway } from '../trading/venue.ts';
import { accountAlarm, accountModeAlarm } from './account-alarms.ts';
import { overrideVenue } from './override-venue.ts';

export interface KeyGateParts {
  readonly account: RealAccount;
  /** Asks the venue; rejects where it does not answer, or refuses the key. */
  readonly ask: () => Promise<AccountVerdict>;
  readonly alarms: Pick<RaisedAlarms, 'stand' | 'over'>;
  readonly onAdvice: (advice: string) => void;
  readonly timers: Timers;
  readonly patience?: Patience | undefined;
}

export interface AccountVerdict extends PermissionVerdict {
  /** As the venue has it. */
  readonly positionMode: PositionMode;
  /** Whether the refusal is one that its owner must see before anything is traded: the key may withdraw. */
  readonly endsStart: boolean;
}

/** A start waits this long for the venue: other accounts are not guarded before it has ended. */
const OPEN_MS = 3000;
const ASK_AGAIN_MS = 15_000;

export class KeyGate {
  readonly #parts: KeyGateParts;
  readonly #alarm: string;
  #asked: Promise<AccountVerdict> | undefined;
  #verdict: AccountVerdict | undefined;
  /** The position mode of the first answer: an account that was shut meanwhile is still the one that was opened. */
  #openedAs: PositionMode | undefined;
  readonly #toldAdvice = new Set<string>();
  #isClosed = false;
  #stopAsking = (): void => {};
  /** Why the account is shut, as the alarm that stands says it. */
  #shutBy: 'away' | 'refused' | undefined;
  /** In words, while its position mode is another one than it was opened with. */
  #otherMode: string | undefined;

  constructor(parts: KeyGateParts) {
    this.#parts = parts;
    this.#alarm = accountAlarm(parts.account);
  }

  /** For a start: throws where the key may withdraw, and goes on with the account shut where its venue is away or refuses it. */
  async open(): Promise<void> {
    const { timers, patience = patienceUnder(undefined) } = this.#parts;
    const openMs = patience(OPEN_MS);
    await withTimeout(this.#ask(), openMs, () => this.#tellLate(openMs), timers).catch(() => this.#askAgain());
    if (this.#verdict?.refusal !== undefined) throw new Error(this.#verdict.refusal);
  }

  /** The venue has refused the key of some request: asked at once, and again until it takes it. */
  shut(): void {
    if (this.#isClosed || this.#verdict === undefined || this.#verdict.refusal !== undefined) return;
    this.#verdict = undefined;
    this.#asked = undefined;
    this.#askAgain();
    void this.#ask().catch(() => {});
  }

  /** The same account; what opens or adds to a position has to pass the gate, what closes has not. */
  over(venue: Venue): Venue {
    return overrideVenue(venue, {
      placeOrder: async (request) => {
        if (!isClosing(request)) await this.#pass();
        return venue.placeOrder(request);
      },
      ...(venue.readPositionMode && { readPositionMode: () => this.#readMode(venue) }),
      close: () => {
        this.#isClosed = true;
        this.#stopAsking();
        return venue.close();
      },
    });
  }

  get #name(): string {
    return `${this.#parts.account.exchange}:${this.#parts.account.account}`;
  }

  async #pass(): Promise<void> {
    if (this.#verdict === undefined)
      await this.#ask().catch((error: unknown) => {
        // Whatever became of the question: the order has not left.
        if (isAway(error)) throw new VenueError('not-sent', error.message, { cause: error });
        throw new VenueError('rejected', `${this.#name} is shut: ${errorText(error)}`, { cause: error });
      });
    const refusal = this.#verdict?.refusal;
    if (refusal !== undefined) throw new VenueError('rejected', refusal);
    if (this.#otherMode !== undefined) throw new VenueError('rejected', `${this.#name} is shut: ${this.#otherMode}`);
  }

  async #readMode(venue: Venue): Promise<PositionMode> {
    const { account, alarms } = this.#parts;
    const mode = await (venue.readPositionMode?.() ?? venue.positionMode());
    const opened = this.#openedAs ?? mode;
    const alarm = accountModeAlarm(account);
    if (mode === opened) {
      this.#otherMode = undefined;
      alarms.over(alarm);
      return mode;
    }
    this.#otherMode = `it was ${opened} when it was opened and is ${mode} at the venue now; change it back there while nothing is held, or restart Signalbox to trade it as ${mode}`;
    alarms.stand(
      alarm,
      `The ${account.mode} account ${this.#name} is shut: ${this.#otherMode}. Nothing is opened on it; closes and stops go on`,
    );
    return mode;
  }

  #askAgain(): void {
    this.#stopAsking();
    this.#stopAsking = every(ASK_AGAIN_MS, () => void this.#ask().catch(() => {}), this.#parts.timers);
  }

  /** Entries that come together share one question. */
  #ask(): Promise<AccountVerdict> {
    this.#asked ??= this.#parts
      .ask()
      .then((verdict) => {
        if (verdict.refusal !== undefined && !verdict.endsStart) throw new VenueError('rejected', verdict.refusal);
        this.#note(verdict);
        return verdict;
      })
      .catch((error: unknown) => {
        this.#asked = undefined;
        this.#tellShut(error);
        throw error;
      });
    return this.#asked;
  }

  #tellLate(openMs: number): never {
    const error = new VenueError('unknown', `no answer within ${Math.round(openMs) / 1000} s`);
    this.#tellShut(error);
    throw error;
  }

  /** Told again where the cause is another one: each has its own remedy. */
  #tellShut(error: unknown): void {
    const { alarms, account } = this.#parts;
    const shutBy = isAway(error) ? 'away' : 'refused';
    if (this.#shutBy !== shutBy) alarms.over(this.#alarm);
    this.#shutBy = shutBy;
    const words =
      shutBy === 'away'
        ? `cannot be reached: ${whyAway(errorText(error))}. Nothing is opened on it until its venue answers`
        : `is shut: ${errorText(error)}. Nothing is opened on it, and closes and stops may fail, until that is mended: ` +
          'at the venue, which is noticed by itself, or with another key and a restart';
    alarms.stand(this.#alarm, `The ${account.mode} account ${this.#name} ${words}`);
  }

  #note(verdict: AccountVerdict): void {
    const { alarms, onAdvice } = this.#parts;
    this.#stopAsking();
    this.#verdict = verdict;
    this.#openedAs ??= verdict.positionMode;
    for (const words of verdict.advice) if (!this.#toldAdvice.has(words)) onAdvice(words);
    for (const words of verdict.advice) this.#toldAdvice.add(words);
    this.#shutBy = undefined;
    alarms.over(this.#alarm);
    if (verdict.refusal !== undefined)
      alarms.stand(this.#alarm, `Nothing is opened until the next start: ${verdict.refusal}`);
  }
}

const isAway = (error: unknown): error is VenueError =>
  error instanceof VenueError && (error.failure === 'not-sent' || error.failure === 'unknown');
