// The gates: each is one small function that lets a signal through, or says why not and what the sender can do about it.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { AccountName, Accounts } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Acceptance, DuplicateCause } from '../books/journal.ts';
import type { SignalOrder } from '../signal.ts';
import type { Venue } from '../venue.ts';
import type { KillSwitch } from './controls.ts';
import type { LimitCode } from './limit-rules.ts';
import { type LimitSubject, subjectInWords } from './restrictions.ts';

export type RefusalCode =
  | LimitCode
  | 'AUTHENTICATION_FAILED'
  | 'ADDRESS_BLOCKED'
  | 'TOO_MANY_FAILED_AUTHENTICATIONS'
  | 'RATE_LIMITED'
  | 'UNKNOWN_ACCOUNT'
  | 'VENUE_NOT_CONFIGURED'
  | 'LIVE_NOT_CONFIRMED'
  | 'UNKNOWN_SYMBOL'
  | 'KILL_SWITCH_ACTIVE'
  | 'DUPLICATE_SIGNAL';

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly rate?: RateVerdict;
  readonly originalRequestId?: string;
  /** Of UNKNOWN_SYMBOL: names that may have been meant. */
  readonly nearest?: readonly string[];
}

export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly retryAfterSeconds: number;
  /** Until the full allowance is there again. */
  readonly resetSeconds: number;
}

/** Who a webhook key stands for; what it may trade is in restrictions.ts. */
export interface Sender {
  readonly keyId: string;
  readonly label: string;
  /** Where its signals are traded unless they name an account: `scalp`, or `bybit:scalp`; never empty. */
  readonly routes?: readonly { readonly account: string; readonly multiplier: number }[];
}

/** What the sender of a wrong key hears: that it is wrong, and after too many of them only to wait. */
export function wrongKey(guesses: RateVerdict): Refusal {
  if (guesses.allowed)
    return {
      code: 'AUTHENTICATION_FAILED',
      message:
        'apiKey is not known or was revoked; copy a valid webhook key into the alert ("signalbox keys list" shows labels)',
    };
  return {
    code: 'TOO_MANY_FAILED_AUTHENTICATIONS',
    message: `too many wrong keys from this address; wait ${guesses.retryAfterSeconds} s and check apiKey in the alert`,
    rate: guesses,
  };
}

export function addressGate(address: string, isAllowed: (address: string) => boolean): Refusal | undefined {
  if (isAllowed(address)) return undefined;
  return {
    code: 'ADDRESS_BLOCKED',
    message: `signals from ${address} are blocked; add it to the allowlist if it is yours ("signalbox allowlist")`,
  };
}

export function rateGate(verdict: RateVerdict): Refusal | undefined {
  if (verdict.allowed) return undefined;
  return {
    code: 'RATE_LIMITED',
    message: `this key may send ${verdict.limit} signal${verdict.limit === 1 ? '' : 's'} a minute; try again in ${verdict.retryAfterSeconds} s`,
    rate: verdict,
  };
}

/** Never traded on another account instead: what its sender meant to risk there is not known here. */
export function missingAccount(
  exchange: Exchange,
  account: string,
  accounts: Pick<Accounts, 'namesAt' | 'whyOff'>,
): Refusal & { readonly code: 'UNKNOWN_ACCOUNT' | 'VENUE_NOT_CONFIGURED' } {
  const off = accounts.whyOff(exchange, account);
  if (off !== undefined) return { code: 'VENUE_NOT_CONFIGURED', message: `${off}; nothing was done` };
  const names = accounts.namesAt(exchange);
  const there = names.length === 1 ? `it has only ${names[0]}` : `it has ${names.join(', ')}`;
  return {
    code: 'UNKNOWN_ACCOUNT',
    message: `account: ${exchange} has no account ${JSON.stringify(account)}; ${there} ("signalbox accounts" lists them)`,
  };
}

/** Real money is risked only where its owner has said so once; what closes always passes. */
export function confirmationGate(
  { action }: Pick<SignalOrder, 'action'>,
  accounts: readonly AccountName[],
  isConfirmed: (account: AccountName) => boolean,
): Refusal | undefined {
  if (ACTION_MEANING[action].closes) return undefined;
  const missing = accounts.find((account) => !isConfirmed(account));
  if (missing === undefined) return undefined;
  const name = `${missing.exchange}:${missing.account}`;
  return {
    code: 'LIVE_NOT_CONFIRMED',
    message:
      `${name} trades with REAL MONEY, and its owner has not confirmed that yet; say "signalbox accounts confirm ${name}" once ` +
      'on the machine that runs Signalbox, and send it again (CONFIRM_FIRST_LIVE_ORDER=no asks nobody); nothing was done',
  };
}

/**
 * A close passes: what is held in a market must be closed also after it has left the list. Of several accounts those
 * that have the market trade it: a signal is refused here only where none has, and the others are told in their lanes.
 */
export function marketGate(
  { action, market }: Pick<SignalOrder, 'action' | 'market'>,
  venues: readonly Pick<Venue, 'exchange' | 'unlisted'>[],
): Refusal | undefined {
  if (ACTION_MEANING[action].closes) return undefined;
  const missing = venues.map((venue) => venue.unlisted?.(market));
  const [first] = missing;
  if (first === undefined || missing.some((nearest) => nearest === undefined)) return undefined;
  const { exchange } = venues[0] as Pick<Venue, 'exchange'>;
  return { code: 'UNKNOWN_SYMBOL', message: noSuchMarket(exchange, market, first), nearest: first };
}

export const noSuchMarket = (exchange: string | undefined, market: string, nearest: readonly string[]): string =>
  `symbol: ${exchange === undefined ? 'there is no' : `${exchange} has no`} market ${market}; ${nearest.length > 0 ? `did you mean ${nearest.join(', ')}?` : 'GET /markets lists them'}`;

/** `subject` is whose switch it is; absent means the one over everything. */
export function killSwitchGate(
  killSwitch: KillSwitch,
  action: SignalOrder['action'],
  subject?: LimitSubject,
): Refusal | undefined {
  if (!killSwitch.active) return undefined;
  if (killSwitch.scope === 'entries' && ACTION_MEANING[action].closes) return undefined;
  const what = killSwitch.scope === 'entries' ? 'new positions are' : 'trading is';
  const why = killSwitch.reason ? ` (${killSwitch.reason})` : '';
  const whose = subject ? ` of ${subject.kind} ${JSON.stringify(subject.name)}` : '';
  const command = `signalbox kill-switch off${subject ? ` --of ${subjectInWords(subject)}` : ''}`;
  return {
    code: 'KILL_SWITCH_ACTIVE',
    message: `${what} disabled by the kill switch${whose}${why}; switch it off to trade again ("${command}")`,
  };
}

export function duplicateGate(acceptance: Acceptance): Refusal | undefined {
  if (acceptance.accepted) return undefined;
  const { cause, originalRequestId } = acceptance;
  return { code: 'DUPLICATE_SIGNAL', message: DUPLICATES[cause](originalRequestId), originalRequestId };
}

const DUPLICATES: Readonly<Record<DuplicateCause, (first: string) => string>> = {
  'idempotency-key': (first) =>
    `a signal with this idempotencyKey was already accepted as ${first}; use a new key for a new trade`,
  'alert-id': (first) =>
    `an alert with this alertId was already accepted under this key as ${first}; use a new alertId for a new trade`,
  retried: (first) => `its sender has sent it again meanwhile, and that was accepted as ${first}; nothing was sent now`,
  resend: (first) =>
    `the same signal arrived moments ago as ${first}, and its first answer was, or may have been, ` +
    'a server error, so this one counts as a resend; wait 20 s or add an idempotencyKey to trade it on purpose',
};
