// Traces of signals for a collector of OpenTelemetry: OTLP over HTTP, as JSON, in batches. One trace is one signal's life, and its
// id is the request id, so that nothing has to be stored to find it again after a restart. What a collector does not take is dropped
// and counted; no signal ever waits.

import { randomBytes } from 'node:crypto';
import { errorText } from '../../errors/error-text.ts';
import { every } from '../../timing/every.ts';
import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { EndedStep, SignalTrace, StepFacts, TraceStep } from '../../trading/signal-trace.ts';

export interface OtlpTracesOptions {
  /** `/v1/traces` is put behind it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  readonly nowMs: () => number;
  readonly clockMs: () => number;
  readonly timers: Timers;
  readonly onSent: (spans: number) => void;
  readonly onDropped: (spans: number, why: string) => void;
}

export interface OtlpTraces extends SignalTrace {
  /** Sends what is there, as far as the collector takes it in time. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 2000;
/** A flood of signals between two sends; what is more is dropped. */
const MAX_WAITING = 8192;
const MAX_IN_REQUEST = 512;
const TIMEOUT_MS = 5000;
/** A stop waits no longer for a collector that is silent. */
const LAST_SEND_MS = 1000;
const SPAN_ID_BYTES = 8;
/** As OTLP numbers them. */
const KINDS = { internal: 1, server: 2, client: 3 };
const FAILED = { code: 2 };
const KIND_OF: Partial<Record<TraceStep, number>> = {
  signal: KINDS.server,
  'place order': KINDS.client,
  'find order': KINDS.client,
};
const REQUEST_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})(?:\.|$)/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;
const NOTHING = /^0+$/;

export function createOtlpTraces(options: OtlpTracesOptions): OtlpTraces {
  const { clockMs, onDropped, timers } = options;
  let waiting: object[] = [];
  let sending: Promise<void> | undefined;

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, MAX_IN_REQUEST);
      waiting = waiting.slice(MAX_IN_REQUEST);
      await send(spans, options);
    }
  };
  const flush = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const end = every(SEND_EVERY_MS, () => void flush(), timers);
  return {
    clockMs,
    add(requestId, step, ended) {
      const span = spanOf(requestId, step, ended, options);
      if (span === undefined) return;
      if (waiting.length >= MAX_WAITING) onDropped(1, 'more came than it takes');
      else waiting.push(span);
    },
    async close() {
      end();
      const last = async (): Promise<void> => {
        await sending;
        await flush();
      };
      await withTimeout(last(), LAST_SEND_MS, () => undefined, timers);
    },
  };
}

/** Undefined for what came by no request of ours, such as an order of the venue itself. */
function spanOf(
  requestId: string,
  step: TraceStep,
  { tookMs, facts = {}, isFailed, traceParent }: EndedStep,
  { nowMs }: OtlpTracesOptions,
): object | undefined {
  const [, ...parts] = REQUEST_ID.exec(requestId) ?? [];
  if (parts.length === 0) return undefined;
  const traceId = parts.join('');
  // The last half of an id is random enough, and every step finds its root by it, in a later process too.
  const rootId = traceId.slice(-2 * SPAN_ID_BYTES);
  const isRoot = step === 'signal';
  const endMs = nowMs();
  const link = linkOf(traceParent);
  return {
    traceId,
    spanId: isRoot ? rootId : randomBytes(SPAN_ID_BYTES).toString('hex'),
    ...(!isRoot && { parentSpanId: rootId }),
    name: step,
    kind: KIND_OF[step] ?? KINDS.internal,
    startTimeUnixNano: nanos(endMs - Math.max(0, tookMs)),
    endTimeUnixNano: nanos(endMs),
    attributes: attributesOf({ ...facts, request_id: requestId }),
    ...(isFailed && { status: FAILED }),
    ...(link && { links: [link] }),
  };
}

/** In microseconds, which is as exact as a clock of ours is. */
const nanos = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`;

function linkOf(traceParent: string | undefined): object | undefined {
  const [, traceId = '', spanId = ''] = TRACE_PARENT.exec(traceParent ?? '') ?? [];
  // Nothing but zeros is no id, and 00 to fe are the versions there can be.
  const isNone = traceId === '' || NOTHING.test(traceId) || NOTHING.test(spanId) || traceParent?.startsWith('ff');
  return isNone ? undefined : { traceId, spanId };
}

const attributesOf = (facts: StepFacts): readonly object[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [{ key: `signalbox.${name}`, value: anyValue(value) }],
  );

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

async function send(spans: readonly object[], options: OtlpTracesOptions): Promise<void> {
  const { endpoint, headers, serviceName, version, onSent, onDropped } = options;
  const resource = [
    { key: 'service.name', value: { stringValue: serviceName } },
    { key: 'service.version', value: { stringValue: version } },
  ];
  const scope = { name: 'signalbox', version };
  const body = { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }] };
  try {
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    onSent(spans.length);
  } catch (error) {
    // No alarm: a collector that is away is no trouble of trading.
    onDropped(spans.length, errorText(error));
  }
}
