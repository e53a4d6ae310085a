// The alert of a deployed script that trades: its message is read as a mail's text is, and passes the gates under a webhook key.
//
// The script process sends an alert again whenever it does not know whether the last try arrived. So each alert has a name
// under each key that it trades under, which takes the place of its idempotency key: whichever of the two processes dies in
// between, it trades once under each. And it is told as traded, whatever has become of its key, of the switch or of its age
// since. The trade carries a digest of the name too: where the message has an idempotencyKey of its own, which anybody may
// have used before, the digest tells whether the trade that has it was made by this very alert.

import { hash } from 'node:crypto';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { Refusal } from '../../http/errors.ts';
import { barsInWords, type KeyAccounts, ownBarsName, tradeNameOf } from '../../library/deployments/index.ts';
import type { Journal } from '../../trading/books/journal.ts';
import { toNumber } from '../../trading/decimal.ts';
import { acceptFrom, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import { isEntry } from '../../trading/intake/limit-rules.ts';
import { placesOf, targetsOf } from '../../trading/intake/routes.ts';
import type { SignalOrder } from '../../trading/signal.ts';
import type { Venue } from '../../trading/venue.ts';
import { withoutKnownKeys } from './known-keys.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { readEmail } from './read-email.ts';

const SOURCE = 'script';

export interface AlertTraderDeps {
  readonly signal: SignalDeps;
  /** The sender that a key id stands for, while the key is active. */
  readonly senderOf: (keyId: string) => Sender | undefined;
  readonly journal: Pick<Journal, 'claimant' | 'trade' | 'strategyBooks'>;
  readonly nextRequestId: () => string;
  /** Older alerts are not traded: their moment has passed. */
  readonly maxAgeMs: number;
}

export interface ScriptAlert {
  readonly keyId: string;
  readonly keyLabel: string;
  readonly eventId: string;
  readonly message: string;
  /** Left out of what only closes a position: that is never too late. */
  readonly createdAtMs?: number | undefined;
  /** Where the bars come from that it was raised on: `simulated`, an exchange, or the testnet of one. */
  readonly barsFrom?: string | undefined;
}

/** What became of it, as plain data: it crosses a process. */
export interface AlertTraded {
  readonly status: number;
  readonly requestId: string;
  readonly code?: string;
  readonly error?: string;
  readonly tradeStatus?: string;
  /** This very alert had traded under this key before; absent where something else made it a duplicate. */
  readonly originalRequestId?: string;
}

export interface AlertTrader extends KeyAccounts {
  /** Whose key that is; undefined for one that opens nothing. */
  identify(apiKey: string): { readonly keyId: string; readonly label: string } | undefined;
  /** Never rejects: a refusal is an outcome. */
  trade(alert: ScriptAlert): Promise<AlertTraded>;
  /** What a strategy holds by account, positive long; without a market, of all of them. */
  held(of: StrategyQuestion): Promise<readonly AccountShare[]>;
}

export interface StrategyQuestion {
  readonly strategy: string;
  readonly market?: string | undefined;
}

/** For a comparison, not for an order: a number is exact enough. */
export interface AccountShare {
  readonly account: string;
  readonly quantity: number;
}

export function createAlertTrader(deps: AlertTraderDeps): AlertTrader {
  return {
    identify(apiKey) {
      const sender = deps.signal.keepers.authenticate(apiKey);
      return sender && { keyId: sender.keyId, label: sender.label };
    },
    async trade(alert) {
      const requestId = deps.nextRequestId();
      try {
        return await traded(alert, requestId, deps);
      } catch (error) {
        if (error instanceof Refusal)
          return { status: 400, requestId, code: error.code, error: error.detail ?? error.code };
        deps.signal.onFault(error, requestId);
        return { status: 500, requestId, code: 'INTERNAL', error: 'internal error; the log has the details' };
      }
    },
    held: (of) => held(of, deps.journal),
    accountsOf: async (of) => accountsOf(of, deps),
  };
}

async function held({ strategy, market }: StrategyQuestion, journal: Pick<Journal, 'strategyBooks'>) {
  const shares = new Map<string, number>();
  for (const book of await journal.strategyBooks()) {
    if (book.strategy !== strategy || (market !== undefined && book.market !== market)) continue;
    const account = `${book.exchange}:${book.account}`;
    const signed = toNumber(book.quantity) * (book.side === 'LONG' ? 1 : -1);
    shares.set(account, (shares.get(account) ?? 0) + signed);
  }
  return [...shares].map(([account, quantity]) => ({ account, quantity }));
}

/** Whose money a signal of this key moves that names no account. */
function accountsOf(
  { keyId, exchange: named }: Parameters<KeyAccounts['accountsOf']>[0],
  { senderOf, signal }: AlertTraderDeps,
) {
  const exchange = EXCHANGES.find((each) => each === named);
  const sender = senderOf(keyId);
  if (exchange === undefined || sender === undefined) return [];
  return placesOf(sender, { exchange }).map(({ exchange: at, account }) => {
    const mode = signal.keepers.accounts.find(at, account)?.mode ?? null;
    return { exchange: at, account, mode };
  });
}

const nameOf = ({ eventId, keyId }: ScriptAlert): string => tradeNameOf(eventId, keyId);
const digestOf = (alert: ScriptAlert): Buffer => hash('sha256', nameOf(alert), 'buffer');

async function traded(alert: ScriptAlert, requestId: string, deps: AlertTraderDeps): Promise<AlertTraded> {
  const { signal } = deps;
  const read = readEmail({ text: alert.message }, signal.symbols);
  const plain = withoutKnownKeys(read.order, signal.knownKeys ?? [], () => true);
  const order = { ...plain, idempotencyKey: plain.idempotencyKey ?? nameOf(alert) };
  const nowMs = signal.nowMs();
  const original = await earlierTrade(alert, order.idempotencyKey, nowMs, deps);
  if (original !== undefined)
    return { status: 409, requestId, code: 'DUPLICATE_SIGNAL', error: 'it has traded', originalRequestId: original };
  return trade(alert, { ...read, order }, requestId, nowMs, deps);
}

async function earlierTrade(
  alert: ScriptAlert,
  idempotencyKey: string,
  nowMs: number,
  { signal, journal }: AlertTraderDeps,
): Promise<string | undefined> {
  // An earlier version claimed the bare id; what it has traded may be handed over again after the upgrade.
  for (const claimed of [idempotencyKey, alert.eventId]) {
    const requestId = await journal.claimant(claimed, nowMs - signal.keepers.idempotencyWindowMs);
    if (requestId !== undefined && (await isTradeOf(alert, requestId, journal))) return requestId;
  }
  return undefined;
}

async function isTradeOf(alert: ScriptAlert, requestId: string, journal: Pick<Journal, 'trade'>): Promise<boolean> {
  const found = (await journal.trade(requestId))?.trade;
  if (found?.source !== SOURCE) return false;
  const { bodyDigest, keyLabel, order } = found;
  // Trades of scripts have had a digest since they are named by their target.
  if (bodyDigest === undefined) return keyLabel === alert.keyLabel && order.idempotencyKey === alert.eventId;
  return digestOf(alert).equals(bodyDigest);
}

async function trade(
  alert: ScriptAlert,
  { apiKey, order, warnings }: ReturnType<typeof readEmail>,
  requestId: string,
  nowMs: number,
  { signal, senderOf, journal, maxAgeMs }: AlertTraderDeps,
): Promise<AlertTraded> {
  const { keyId, createdAtMs, barsFrom } = alert;
  const no = (status: number, code: string, error: string): AlertTraded => ({ status, requestId, code, error });
  const sender = senderOf(keyId);
  if (sender === undefined) return no(403, 'AUTHENTICATION_FAILED', 'its webhook key was revoked; deploy it anew');
  if (createdAtMs !== undefined && nowMs - createdAtMs > maxAgeMs)
    return no(409, 'STALE_SIGNAL', `it is older than ${maxAgeMs / 1000} s (SIGNAL_MAX_AGE_S); its moment has passed`);
  if (apiKey !== undefined && signal.keepers.authenticate(apiKey)?.keyId !== keyId)
    return no(403, 'AUTHENTICATION_FAILED', 'apiKey in its message is not the key of the target; remove it there');
  const foreign = foreignAccount(sender, order, signal.keepers.accounts, barsFrom);
  if (foreign !== undefined) return no(409, 'FOREIGN_BARS', foreignInWords(foreign, barsFrom));
  const candidate: ProvedCandidate = {
    ...{ requestId, receivedAtMs: nowMs, source: SOURCE, order, warnings },
    bodyDigest: digestOf(alert),
  };
  const { status, body } = await processSignal(candidate, acceptFrom(sender, candidate, signal.keepers), signal);
  const { code, error, originalRequestId, tradeResult } = body as {
    readonly code?: string;
    readonly error?: string;
    readonly originalRequestId?: string;
    readonly tradeResult?: { readonly status: string } | null;
  };
  const isOwn = originalRequestId !== undefined && (await isTradeOf(alert, originalRequestId, journal));
  return {
    status,
    requestId,
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(isOwn && { originalRequestId }),
    ...(tradeResult && { tradeStatus: tradeResult.status }),
  };
}

/** An account that is not on paper and would be opened on bars of somewhere else; a close is always let through. */
function foreignAccount(
  sender: Sender,
  order: SignalOrder,
  accounts: SignalDeps['keepers']['accounts'],
  barsFrom: string | undefined,
): Venue | undefined {
  const targets = isEntry(order.action) ? targetsOf(sender, order, accounts) : [];
  // Where it goes nowhere, the gates say why.
  if ('code' in targets) return undefined;
  return targets.map(({ venue }) => venue).find((venue) => !isTradedOn(venue, barsFrom));
}

/** The bars of the real market serve a testnet account of the same exchange too, never the other way round. */
const isTradedOn = ({ exchange, mode }: Venue, barsFrom: string | undefined): boolean =>
  mode === 'paper' || barsFrom === ownBarsName(exchange, 'live') || barsFrom === ownBarsName(exchange, mode);

const foreignInWords = ({ exchange, account, mode }: Venue, barsFrom: string | undefined): string =>
  `${exchange}:${account} is a ${mode} account, and the script ran on ${barsInWords(barsFrom)}. Name ${exchange} in the trade target ` +
  `or before the symbol (${exchange.toUpperCase()}:BTCUSDT) when you deploy it, so that its bars come from there, or route its key to other accounts.`;
