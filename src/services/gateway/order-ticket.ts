// POST /orders: the owner's own order. It goes the way of a signal, through the same gates but for the key, and may be looked at first.

import { z } from 'zod';
import type { Answer } from '../../http/answer.ts';
import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readJson } from '../../http/read-body.ts';
import type { DryRun } from '../../trading/execution/dry-run.ts';
import { acceptFrom, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import { type Checked, checkedSchema } from './check-schemas.ts';
import { foreseenView, signalView } from './checked-view.ts';
import { withoutKnownKeys } from './known-keys.ts';
import { asSent, mapSymbol } from './map-symbol.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { fieldsRead } from './read-fields.ts';
import { checkShape, orderOf } from './read-signal.ts';
import { afterAcceptance, refused, SIGNAL_RESPONSES } from './responses.ts';
import { answerOf, described, signalSchema, tradeSuccessSchema } from './schemas.ts';
import { tidyComment } from './tidy-comment.ts';
import { misspelledFields } from './unknown-fields.ts';

const { apiKey: _, alertId: __, notify: ___, ...fields } = signalSchema.shape;

export const ticketSchema = z.strictObject({
  ...fields,
  dryRun: described(
    z.boolean().optional(),
    'true: says what would happen, as POST /webhook/check does, and does nothing',
  ),
});

const FIELDS = Object.keys(ticketSchema.shape);
/** So that the owner's own orders share one rate. No webhook key can have this id: those are hex digits. */
const KEY_ID = 'order-ticket';

export interface TicketDeps {
  readonly signal: SignalDeps;
  readonly dryRun: Pick<DryRun, 'of'>;
}

/** Who asks, and under which request. */
export interface TicketCall {
  readonly requestId: string;
  readonly actor: string;
}

export const ticketEndpoint = (deps: TicketDeps | undefined): Endpoint => ({
  method: 'post',
  path: '/orders',
  door: 'internal',
  summary: 'Send an order of your own, or see what it would do',
  tags: ['Orders'],
  body: ticketSchema,
  bodyExample: { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, dryRun: true },
  responses: {
    ...SIGNAL_RESPONSES,
    200: {
      description: 'As POST /webhook answers; with dryRun: what would happen, as POST /webhook/check tells it',
      schema: z.union([tradeSuccessSchema, answerOf(checkedSchema)]),
    },
    401: refused('UNAUTHORIZED'),
    413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
    503: afterAcceptance('KILL_SWITCH_ACTIVE, NOT_TRADING'),
  },
  async handler(c) {
    if (deps === undefined) throw new Refusal('NOT_TRADING', NOT_RUNNING);
    const value = await readJson(c);
    const { requestId } = c.var;
    const call = { requestId, actor: actorOf(c) };
    if (isDryRun(value)) return c.json({ success: true, requestId, result: await checkTicket(value, call, deps) });
    const { status, body, headers } = await placeTicket(value, call, deps);
    return c.json(body as object, status as 200, headers as Record<string, string>);
  },
});

const NOT_RUNNING = 'Signalbox is not running here, so nothing was sent; start it first';

const isDryRun = (value: unknown): boolean => (value as { readonly dryRun?: unknown } | null)?.dryRun === true;

/** The answer as POST /webhook gives it. */
export async function placeTicket(value: unknown, call: TicketCall, deps: TicketDeps): Promise<Answer> {
  const { candidate, sender } = candidateOf(value, call, deps);
  return processSignal(candidate, acceptFrom(sender, candidate, deps.signal.keepers), deps.signal);
}

/** What it would do. */
export async function checkTicket(value: unknown, call: TicketCall, deps: TicketDeps): Promise<Checked> {
  const { candidate, sender } = candidateOf(value, call, deps);
  const foreseen = await deps.dryRun.of({ candidate, sender });
  const { warnings = [], order } = candidate;
  const signal = signalView(order);
  return {
    ...foreseenView(foreseen, deps.signal.queueMode()),
    ...{ route: '/orders', address: null, placeholders: [], faults: [], signal },
    fields: fieldsRead(value, { faults: [], warnings, signal, knownKeys: deps.signal.knownKeys ?? [] }),
    warnings: [...warnings],
  };
}

function candidateOf(value: unknown, { requestId, actor }: TicketCall, { signal }: TicketDeps) {
  const mapped = tidyComment(mapSymbol(value, signal.symbols));
  const { rest, faults } = misspelledFields(mapped.value, FIELDS);
  const { dryRun: _, ...ticket } = checkShape(ticketSchema, rest, faults);
  const order = withoutKnownKeys(asSent(orderOf(ticket), mapped), signal.knownKeys ?? [], () => true);
  const candidate: ProvedCandidate = {
    ...{ requestId, receivedAtMs: signal.nowMs(), source: 'ticket', order, warnings: mapped.warnings },
  };
  // Shown where a signal shows the label of its key, as it is where the owner closes.
  const sender: Sender = { keyId: KEY_ID, label: actor };
  return { candidate, sender };
}
