// POST /webhook and POST /webhook/tradingview: read, ask the gates, dispatch, answer.

import { hash } from 'node:crypto';
import type { AnswerCall, Call, Endpoint } from '../../http/endpoint.ts';
import { acceptSignal, type Candidate } from '../../trading/intake/accept-signal.ts';
import { hasClaim } from '../../trading/intake/alert-claim.ts';
import type { SignalSource } from '../../trading/signal.ts';
import { withoutKnownKeys } from './known-keys.ts';
import type { FindSymbol } from './map-symbol.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { readSignal } from './read-signal.ts';
import { readTradingview } from './read-tradingview.ts';
import type { ReadOrder } from './remember-refusals.ts';
import { SIGNAL_RESPONSES } from './responses.ts';
import { signalSchema, tradingviewSchema } from './schemas.ts';

/** A signal is a few hundred bytes; this leaves room for a long notification text. */
export const WEBHOOK_BODY_LIMIT = 64 * 1024;

/** How the bodies of these doors are read, by path. */
const READERS: Readonly<Record<string, { readonly source: SignalSource; read: typeof readSignal }>> = {
  '/webhook': { source: 'webhook', read: readSignal },
  '/webhook/tradingview': { source: 'tradingview', read: readTradingview },
};

/** What a body asked for, for whoever looks at it after its answer. */
export function readAgain(path: string, body: Uint8Array, symbols?: FindSymbol): ReadOrder {
  const { source, read } = READERS[path] as (typeof READERS)[string];
  return { source, ...read(body, symbols) };
}

export type WebhookDeps = SignalDeps;

const EXAMPLE_KEY = { apiKey: '$WEBHOOK_KEY' };

/** The webhook key in the body is what opens them. */
export const webhookEndpoints = (deps: WebhookDeps): readonly Endpoint[] => [
  {
    method: 'post',
    path: '/webhook',
    door: 'public',
    summary: 'Send a trade signal',
    tags: ['Signals'],
    body: signalSchema,
    bodyExample: { ...EXAMPLE_KEY, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 },
    bodyLimitBytes: WEBHOOK_BODY_LIMIT,
    responses: SIGNAL_RESPONSES,
    answer: answerSignal(deps, '/webhook'),
  },
  {
    method: 'post',
    path: '/webhook/tradingview',
    door: 'public',
    summary: "Send TradingView's strategy placeholders as they render",
    tags: ['Signals'],
    body: tradingviewSchema,
    bodyExample: {
      ...EXAMPLE_KEY,
      exchange: 'BINANCE',
      ticker: 'BTCUSDT.P',
      action: 'buy',
      contracts: '0.01',
      marketPosition: 'long',
      prevMarketPosition: 'flat',
      marketPositionSize: '0.01',
    },
    bodyLimitBytes: WEBHOOK_BODY_LIMIT,
    responses: SIGNAL_RESPONSES,
    answer: answerSignal(deps, '/webhook/tradingview'),
  },
];

export function answerSignal(deps: WebhookDeps, path: string): AnswerCall {
  return (call) => {
    deps.noteCaller?.(call.clientAddress);
    const candidate = readCandidate(path, call, deps);
    const traceParent = deps.trace && call.headers('traceparent');
    return processSignal(candidate, acceptSignal(candidate, deps.keepers), deps, traceParent);
  };
}

/** A body as its door hands it to the gates. Faults of shape come first: the kit turns the thrown refusal into its answer. */
export function readCandidate(
  path: string,
  { requestId, body, clientAddress }: Omit<Call, 'headers'>,
  { keepers, knownKeys = [], symbols, nowMs }: Pick<WebhookDeps, 'keepers' | 'knownKeys' | 'symbols' | 'nowMs'>,
): Candidate {
  const { source, read } = READERS[path] as (typeof READERS)[string];
  const { apiKey, order: asRead, warnings } = read(body, symbols);
  const isKnown = (): boolean => keepers.authenticate(apiKey) !== undefined;
  const order = withoutKnownKeys(asRead, knownKeys, isKnown);
  return {
    requestId,
    receivedAtMs: nowMs(),
    source,
    apiKey,
    address: clientAddress,
    order,
    warnings,
    bodyDigest: hasClaim(order) ? undefined : hash('sha256', body, 'buffer'),
  };
}
