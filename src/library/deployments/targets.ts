// Hands an event to its target: a chat, a webhook, the store of signals, or the gates that trade.

import { type Deployment, type DeploymentEvent, MAX_MESSAGE_CHARS, type Target } from './deployment.ts';
import { uuidOf } from './event-id.ts';
import { orderSignal, type TradeTarget } from './order-signal.ts';
import type { AlertArrivals, AlertSender, StrategyBooks } from './ports.ts';
import { opens } from './told-position.ts';
import type { KeyAccounts } from './traded-accounts.ts';

/** A chat message; plain text, so that nothing in an alert can break its markup. */
export interface ChatPort {
  /** Why nothing can be sent there, with the remedy; without a chat, to the default one. */
  faultOf(chatId: string | undefined): string | undefined;
  send(message: { chatId?: string; text: string; parseMode: 'Plain' }): Promise<{ readonly messageId: number | null }>;
}

export interface WebhookPort {
  /** Why no webhook may go there, with the remedy. */
  faultOf(url: string): string | undefined;
  post(call: {
    readonly url: string;
    readonly secret?: string | undefined;
    /** The receiver drops what it has seen under this key. */
    readonly idempotencyKey: string;
    /** A text is sent as it is. */
    readonly body: object | string;
  }): Promise<{ readonly status: number }>;
}

export interface SignalRow {
  readonly signalId: string;
  readonly timestampMs: number;
  readonly symbol: string;
  readonly signalType: string;
  readonly source: string;
  readonly decision: string;
}

/** What is needed of the signal store: a list that goes on from an id is undefined while no record has that id. */
export interface SignalPort {
  add(row: SignalRow): Promise<void>;
  list(filter: { readonly limit: number; readonly beforeSignalId: string }): Promise<readonly unknown[] | undefined>;
}

/** The gateway's gates, for alerts that trade. */
export interface TradePort extends StrategyBooks, AlertArrivals, KeyAccounts {
  /** Whose webhook key that is; undefined for one that opens nothing. */
  identify(apiKey: string): Promise<{ readonly keyId: string; readonly label: string } | undefined>;
  /** Trades once for one event under one key, however often it is asked. */
  trade(alert: {
    readonly keyId: string;
    readonly keyLabel: string;
    readonly eventId: string;
    readonly message: string;
    /** Left out of what only closes a position: that is never too late. */
    readonly createdAtMs?: number | undefined;
    /** Where the bars come from that it was raised on. */
    readonly barsFrom?: string | undefined;
  }): Promise<{
    readonly status: number;
    readonly requestId: string;
    readonly code?: string;
    readonly error?: string;
    readonly tradeStatus?: string;
    /** The trade that this very event made under this key before. */
    readonly originalRequestId?: string;
  }>;
}

export interface TargetParts {
  /** Absent where no bot is set up. */
  readonly chat?: ChatPort | undefined;
  readonly webhook: WebhookPort;
  /** Absent where no gateway runs. */
  readonly signals?: SignalPort | undefined;
  /** Absent where no gateway runs. */
  readonly trades?: Pick<TradePort, 'trade'> | undefined;
}

/** The signal store's: letters, digits and _, 1 to 32 of them. */
export const SIGNAL_TYPE = /^[A-Za-z0-9_]{1,32}$/;
const MAX_SIGNAL_TYPE_CHARS = 32;
const SIGNAL_SOURCE = 'deployment';
/** The word of the signal store for what was written down and trades nothing. */
const STORED = 'stored';

const NO_BOT =
  'There is no Telegram bot here: set TELEGRAM_BOT_TOKEN, with the gateway among SERVICES, and start again. Or use another target.';

const NO_GATEWAY = 'There is no gateway here: it is not among SERVICES. Use another target.';
/**
 * Refusals that may pass within minutes. The kill switch and a paused key do not: an alert that trades whenever
 * somebody happens to lift them would surprise its owner.
 */
export const PASSING = new Set([
  ...['RATE_LIMITED', 'STORAGE_FAILED', 'STORAGE_UNKNOWN', 'TRY_AGAIN', 'VENUE_UNREACHABLE', 'STALE_DATA', 'INTERNAL'],
]);

export function createAlertSender({ chat, webhook, signals, trades }: TargetParts): AlertSender {
  return {
    faultOf(target) {
      if (target.type === 'webhook') return webhook.faultOf(target.url);
      if (target.type === 'telegram') return chat === undefined ? NO_BOT : chat.faultOf(target.chatId);
      if (target.type === 'signals' && signals === undefined)
        return 'There is no signal store here: the gateway is not among SERVICES. Use another target.';
      if ((target.type === 'trade' || target.type === 'second-opinion') && trades === undefined) return NO_GATEWAY;
      return undefined;
    },
    async send(event, target, deployment) {
      switch (target.type) {
        case 'telegram': {
          // The bot was there when the deployment was made, and is not any more.
          if (chat === undefined) throw Object.assign(new Error(`not sent. ${NO_BOT}`), { retryable: false });
          const to = target.chatId === undefined ? {} : { chatId: target.chatId };
          await chat.send({ ...to, text: chatText(event, deployment), parseMode: 'Plain' });
          return 'sent';
        }
        case 'webhook': {
          const { url, secret } = target;
          const body = target.body === 'message' ? event.message : webhookBody(event, deployment);
          const { status } = await webhook.post({ url, secret, idempotencyKey: event.id, body });
          return `answered ${status}`;
        }
        case 'signals':
          return storeSignal(signals, event, target, deployment);
        case 'trade':
          return tradeEvent(trades, event, target, deployment);
        case 'second-opinion':
          // Where a gateway runs it is awaited, and never comes here.
          throw Object.assign(new Error(`no opinion. ${NO_GATEWAY}`), { retryable: false });
      }
    },
  };
}

/** What a webhook receives. Names and times as everywhere in the script worker: camel case, ms since 1970. */
const webhookBody = (event: DeploymentEvent, deployment: Deployment): object => ({
  eventId: event.id,
  deploymentId: deployment.id,
  scriptId: deployment.scriptId,
  revision: deployment.revision,
  name: deployment.name,
  symbol: deployment.symbol,
  interval: deployment.interval,
  barTime: event.barTimeMs,
  barCloseTime: event.barTimeMs + deployment.timeframeMs,
  source: event.source,
  ...(event.title === null ? {} : { title: event.title }),
  ...(event.order && { order: event.order }),
  message: event.message,
});

function chatText({ message }: DeploymentEvent, { name, symbol, interval }: Deployment): string {
  const text = `${name} · ${symbol} ${interval}\n${message}`;
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS - 1)}…`.toWellFormed() : text;
}

async function storeSignal(
  signals: SignalPort | undefined,
  event: DeploymentEvent,
  target: Extract<Target, { type: 'signals' }>,
  { symbol, timeframeMs, targets }: Deployment,
): Promise<string> {
  if (signals === undefined) throw Object.assign(new Error('there is no signal store here'), { retryable: false });
  const { signalType } = target;
  // The first one stores under the event's own id, as earlier versions did. No two targets name the same type.
  const isFirst = targets.find((each) => each.type === 'signals')?.signalType === signalType;
  const signalId = isFirst ? event.id : uuidOf(`${event.id}\n${signalType ?? ''}`);
  // After a crash between storing and crossing off, the row is there already: once is enough.
  const isThere = (await signals.list({ limit: 1, beforeSignalId: signalId })) !== undefined;
  if (!isThere)
    await signals.add({
      signalId,
      // What a tick raised happened before its bar closes; whatever comes later is of the close.
      timestampMs: Math.min(event.createdAtMs, event.barTimeMs + timeframeMs),
      symbol,
      signalType: signalType ?? wordOf(event.message),
      source: SIGNAL_SOURCE,
      decision: STORED,
    });
  return 'stored';
}

/** Of a strategy its orders are traded, and of an indicator what it says. */
async function tradeEvent(
  trades: TargetParts['trades'],
  event: DeploymentEvent,
  target: TradeTarget,
  deployment: Deployment,
): Promise<string> {
  if (deployment.scriptType === 'strategy' && event.source !== 'order')
    return 'not traded: of a strategy the orders are, not what it says with alert()';
  const message = event.order ? JSON.stringify(orderSignal(event.order, target, deployment)) : event.message;
  if (deployment.mode === 'dry-run') return `dry run, not sent: ${message}`;
  const isExit = event.order && !opens(event.order);
  const createdAtMs = isExit ? undefined : event.createdAtMs;
  return tradeAlert(
    trades,
    { eventId: event.id, message, createdAtMs, barsFrom: deployment.barsFrom ?? undefined },
    target,
  );
}

/**
 * After a crash between trading and crossing off, the gateway knows the alert's own trade: that is as good as traded now. A
 * duplicate of anything else has not traded.
 */
async function tradeAlert(
  trades: TargetParts['trades'],
  alert: Omit<Parameters<TradePort['trade']>[0], 'keyId' | 'keyLabel'>,
  { keyId, keyLabel }: TradeTarget,
): Promise<string> {
  if (trades === undefined) throw Object.assign(new Error(`not traded. ${NO_GATEWAY}`), { retryable: false });
  const { status, requestId, code = '', error, ...told } = await trades.trade({ keyId, keyLabel, ...alert });
  if (status < 300) return `${told.tradeStatus ?? 'Enqueued'} as ${requestId}`;
  if (told.originalRequestId !== undefined) return `traded already as ${told.originalRequestId}`;
  const words = `not traded under the key "${keyLabel}": ${error ?? code}`;
  throw Object.assign(new Error(words), { retryable: PASSING.has(code) });
}

/** The message as a signal's type: `Buy now!` is `Buy_now`. */
export function wordOf(message: string): string {
  const word = message
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_SIGNAL_TYPE_CHARS)
    .replace(/_+$/, '');
  return word === '' ? 'ALERT' : word;
}
