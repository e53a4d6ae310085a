// POST /webhook/check: what would become of an alert's body, by the code that would decide it; nothing is done, counted or kept.

import type { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { readJson } from '../../http/read-body.ts';
import type { DryRun } from '../../trading/execution/dry-run.ts';
import { TRADINGVIEW_ADDRESSES } from '../../trading/intake/allowlist.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import type { AskedSignal } from '../../trading/intake/look-at-gates.ts';
import { type FilledAlert, fillAlert } from './alert-placeholders.ts';
import { unboundQuantity } from './alert-quantity.ts';
import { type Checked, type CheckRoute, checkedSchema, checkRequestSchema } from './check-schemas.ts';
import { foreseenView, refusedAt, refusedWith, signalView } from './checked-view.ts';
import { EMAIL_SENDER, readMailCandidate } from './email-signal.ts';
import type { GatewayErrorCode } from './errors.ts';
import type { SignalDeps } from './process-signal.ts';
import { fieldsRead } from './read-fields.ts';
import { checkShape } from './read-signal.ts';
import { isAlert } from './read-tradingview.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { misspelledFields } from './unknown-fields.ts';
import { readCandidate, WEBHOOK_BODY_LIMIT } from './webhook.ts';

export interface CheckDeps {
  readonly signal: Pick<SignalDeps, 'keepers' | 'knownKeys' | 'symbols' | 'nowMs' | 'queueMode'>;
  readonly dryRun: Pick<DryRun, 'of'>;
  readonly findByLabel: (label: string) => Sender | undefined;
}

type CheckRequest = z.infer<typeof checkRequestSchema>;

const FIELDS = Object.keys(checkRequestSchema.shape);
/** In place of the key that a body has not: whose it is says the request. */
const STAND_IN = 'the-key-that-was-named';

export const checkEndpoint = (deps: CheckDeps | undefined): Endpoint => ({
  method: 'post',
  path: '/webhook/check',
  door: 'internal',
  summary: 'Say what would become of an alert, and do nothing',
  tags: ['Signals'],
  body: checkRequestSchema,
  bodyExample: {
    body: '{"apiKey":"$WEBHOOK_KEY","exchange":"binance","action":"LONG","symbol":"{{ticker}}","quantity":0.01}',
    samples: { ticker: 'BTCUSDT.P' },
  },
  responses: {
    ...ok('What would happen; a body that would be refused is told so in outcome, too', checkedSchema),
    400: BAD_BODY,
    413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
    422: refused('UNKNOWN_KEY: key is the label of none'),
    503: refused('NOT_TRADING'),
  },
  async handler(c) {
    if (deps === undefined) throw new Refusal('NOT_TRADING', NOT_RUNNING);
    const { rest, faults } = misspelledFields(await readJson(c), FIELDS);
    const request = checkShape(checkRequestSchema, rest, faults);
    const { requestId } = c.var;
    return c.json({ success: true, requestId, result: await checkSignal(request, requestId, deps) });
  },
});

const NOT_RUNNING = 'Signalbox is not running here, so nobody can say what would happen; start it first';

async function checkSignal(request: CheckRequest, requestId: string, deps: CheckDeps): Promise<Checked> {
  const named = request.key === undefined ? undefined : senderNamed(request.key, deps);
  const alert = fillAlert(request.body, request.samples ?? {});
  const value = valueIn(alert.text);
  const route = request.route ?? (isFields(value) && isAlert(value) ? '/webhook/tradingview' : '/webhook');
  const asked = { request, requestId, route, alert, named };
  const about = { ...NOTHING, route, placeholders: [...alert.placeholders], warnings: [...alert.warnings] };
  try {
    const { signal, address, warnings } = readAsked(asked, value, deps);
    const foreseen = await deps.dryRun.of(signal, request.at);
    const view = signalView(signal.candidate.order);
    const all = [...warnings, ...templateWarnings(request.body, warnings)];
    const read = { faults: [], warnings: all, signal: view, knownKeys: deps.signal.knownKeys ?? [] };
    return {
      ...{ ...about, ...foreseenView(foreseen, deps.signal.queueMode()), address, signal: view },
      fields: fieldsRead(value, read),
      warnings: [...about.warnings, ...all],
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...about, ...unreadable(error, value, alert, deps) };
  }
}

/** What only the unfilled message shows. A plain signal has no sizes of a strategy, and is not warned of any. */
function templateWarnings(body: string, told: readonly string[]): readonly string[] {
  const template = valueIn(body);
  if (!isFields(template) || told.some((warning) => warning.startsWith('quantity:'))) return [];
  return unboundQuantity(template);
}

const NOTHING = { key: null, address: null, fields: [], faults: [], signal: null, accounts: [] };

interface Asked {
  readonly request: CheckRequest;
  readonly requestId: string;
  readonly route: CheckRoute;
  readonly alert: FilledAlert;
  /** Whom the request names as the sender. */
  readonly named: Sender | undefined;
}

function senderNamed(label: string, { findByLabel }: CheckDeps): Sender {
  const sender = findByLabel(label);
  if (sender) return sender;
  throw new Refusal(
    'UNKNOWN_KEY',
    `key: no webhook key is labelled ${JSON.stringify(maskSecrets(label))}, or it was revoked; "signalbox keys list" shows them`,
  );
}

/** Undefined where it is no JSON. */
function valueIn(text: string): unknown {
  const parsed = parseJsonBody(Buffer.from(text));
  return parsed.ok ? parsed.value : undefined;
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface ReadAsked {
  readonly signal: AskedSignal;
  readonly address: string | null;
  readonly warnings: readonly string[];
}

/** As its door would read it; throws the refusal of a body that it would not. */
function readAsked(asked: Asked, value: unknown, deps: CheckDeps): ReadAsked {
  const { request, requestId, route, named } = asked;
  const nowMs = (): number => request.at ?? deps.signal.nowMs();
  const reading = { ...deps.signal, nowMs };
  const text =
    isFields(value) && named && !('apiKey' in value)
      ? JSON.stringify({ apiKey: STAND_IN, ...value })
      : asked.alert.text;
  const body = Buffer.from(text);
  if (body.length > WEBHOOK_BODY_LIMIT)
    throw new Refusal('PAYLOAD_TOO_LARGE', `the body is larger than ${WEBHOOK_BODY_LIMIT} bytes; send a smaller one`);
  if (route === '/email-signal') return readMailed(asked, reading);
  const [first = ''] = TRADINGVIEW_ADDRESSES;
  const address = request.address ?? first;
  const candidate = readCandidate(route, { requestId, body, clientAddress: address }, reading);
  const signal: AskedSignal = candidate.apiKey === STAND_IN && named ? { candidate, sender: named } : { candidate };
  return { signal, address, warnings: candidate.warnings ?? [] };
}

/** A mail comes through relays; whoever hands it over is proved, and a key in it counts all the same. */
function readMailed({ request, requestId, alert, named }: Asked, reading: CheckDeps['signal']): ReadAsked {
  const { apiKey, candidate } = readMailCandidate(
    { text: alert.text },
    { requestId, body: Buffer.from(alert.text) },
    reading,
  );
  const address = request.address ?? null;
  const from = { ...candidate, ...(address !== null && { address }) };
  const signal: AskedSignal =
    apiKey === undefined
      ? { candidate: from, sender: named ?? EMAIL_SENDER }
      : { candidate: { ...from, apiKey, address: address ?? '' } };
  return { signal, address, warnings: candidate.warnings ?? [] };
}

function unreadable(error: Refusal, value: unknown, alert: FilledAlert, { signal }: CheckDeps) {
  const code = error.code as GatewayErrorCode;
  const { faults = [] } = (error.extra ?? {}) as { readonly faults?: readonly string[] };
  const left = alert.placeholders.filter(
    ({ value: filled, filledBy }) => filled === null && filledBy === 'tradingview',
  );
  const hint =
    left.length === 0
      ? ''
      : `; TradingView fills in ${left.map(({ placeholder }) => placeholder).join(', ')}: give samples to see what happens then`;
  const end = refusedWith(code, `${error.detail ?? code}${hint}`);
  const read = { faults, warnings: [], signal: null, knownKeys: signal.knownKeys ?? [] };
  return {
    ...end,
    faults: faults.map((fault) => maskSecrets(fault)),
    fields: fieldsRead(value, read),
    gates: refusedAt(code === 'PAYLOAD_TOO_LARGE' ? 'size' : 'shape', end),
  };
}
