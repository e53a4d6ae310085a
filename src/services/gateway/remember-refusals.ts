// Remembers what the doors for signals refused, after the answer has left, and logs it.

import { hash } from 'node:crypto';
import type { Answer } from '../../http/answer.ts';
import type { AnswerCall, Call, Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { StrikeSecrets } from '../../http/strike-secrets.ts';
import { hasClaim } from '../../trading/intake/alert-claim.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import type { RefusedOrder, RefusedSignal } from '../../trading/intake/refusals.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode } from './errors.ts';
import { keptBody } from './kept-body.ts';
import { type FindSymbol, STAND_INS } from './map-symbol.ts';

export interface RefusalMemory {
  readonly record: (refused: RefusedSignal) => void;
  readonly authenticate: (apiKey: string) => KnownSender | undefined;
  readonly strike: StrikeSecrets;
  readonly nowMs: () => number;
  readonly log: (fields: object, message: string) => void;
}

/** Whose signal it was. */
export type KnownSender = Pick<Sender, 'keyId' | 'label'>;

/** A signal as its door reads it, with the key that stood in it. */
export interface ReadOrder extends Pick<RefusedOrder, 'source' | 'order'> {
  readonly apiKey: string | undefined;
}

/** What is known of a refusal before anything is struck out. */
export interface Refused {
  readonly id: string;
  readonly door: string;
  /** Who it is, where the door has proved the sender without a key. */
  readonly provedAs?: KnownSender | undefined;
  /** What the signal asked for, read once more; absent where that is not known. May throw what the reading throws. */
  readonly read?: ((standIns?: FindSymbol) => ReadOrder) | undefined;
  readonly address?: string | undefined;
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly faults?: readonly string[];
  readonly body: Uint8Array;
}

const NOTHING = new Uint8Array(0);
/** As in `{"apiKey":"…"}`, also where the rest is no JSON; or a key of ours anywhere. */
const KEY_IN_TEXT = [/"apiKey"\s*:\s*"([^"\\]{8,128})"/, /(whk_[A-Za-z0-9_-]{43})/];
/** Keys stand at the beginning; no more is searched. */
const MAX_SEARCHED_BYTES = 8192;

/** Later than the answer: nobody waits for it, and a fault of it fails nothing. */
export function rememberRefusal(memory: RefusalMemory, refused: Refused): void {
  setImmediate(() => {
    const { strike, nowMs, log } = memory;
    const { body, provedAs, read, ...facts } = refused;
    const sender = senderIn(body, memory.authenticate) ?? provedAs;
    const keyLabel = sender?.label;
    const error = strike(refused.error);
    const faults = (refused.faults ?? []).map((fault) => strike(fault));
    const signal = sender && read && signalOf(refused, read, memory);
    memory.record({ ...facts, keyLabel, error, faults, receivedAtMs: nowMs(), body: strike(keptBody(body)), signal });
    const { id: requestId, door, address, status, code } = facts;
    log({ requestId, door, keyLabel, address, status, code }, `refused: ${error}`);
  });
}

/** How a door reads its body. */
export type ReadAgain = (body: Uint8Array, standIns?: FindSymbol) => ReadOrder;

/** The same endpoint, whose refusals are remembered. `provedAs`: who it is where the door itself has proved the caller. */
export function withMemory(
  endpoint: Endpoint,
  memory: RefusalMemory | undefined,
  { provedAs, read }: { provedAs?: KnownSender; read?: ReadAgain } = {},
): Endpoint {
  if (memory === undefined || endpoint.answer === undefined) return endpoint;
  const { answer, path: door } = endpoint;
  const remember = (call: Omit<Call, 'headers'>, told: Pick<Refused, 'status' | 'code' | 'error' | 'faults'>): void =>
    rememberRefusal(memory, {
      id: call.requestId,
      door,
      address: call.clientAddress,
      body: call.body,
      ...told,
      provedAs,
      read: read && ((standIns) => read(call.body, standIns)),
    });
  const watched: AnswerCall = async (call) => {
    try {
      const given = await answer(call);
      if (given.status >= 400) remember(call, toldBy(given));
      return given;
    } catch (error) {
      if (error instanceof Refusal) remember(call, toldByRefusal(error));
      throw error;
    }
  };
  const onUnread: Endpoint['onUnread'] = (error, { requestId, clientAddress }) => {
    if (error instanceof Refusal) remember({ requestId, clientAddress, body: NOTHING }, toldByRefusal(error));
  };
  return { ...endpoint, answer: watched, onUnread };
}

function toldBy({ status, body }: Answer): Pick<Refused, 'status' | 'code' | 'error'> {
  const { code = 'INTERNAL', error = '' } = body as { code?: string; error?: string };
  return { status, code, error };
}

function toldByRefusal({ code, detail, extra }: Refusal): Pick<Refused, 'status' | 'code' | 'error' | 'faults'> {
  const row = GATEWAY_ERRORS[code as GatewayErrorCode];
  const faults = Array.isArray(extra.faults) ? (extra.faults as string[]) : [];
  return { status: row.status, code, error: detail ?? row.message, faults };
}

/** As it was read at its door; else with what the symbol map may still be told. */
const READINGS = [undefined, 'market', 'place'] as const;

/** A duplicate has its trade already; what could not be read cannot be sent again, and what a secret stands in is not kept. */
function signalOf(
  { code, body, provedAs }: Refused,
  read: (standIns?: FindSymbol) => ReadOrder,
  { authenticate, strike }: RefusalMemory,
): RefusedOrder | undefined {
  if (code === 'DUPLICATE_SIGNAL') return undefined;
  for (const unmapped of READINGS) {
    const found = readOrNothing(() => read(unmapped && STAND_INS[unmapped]));
    if (found === undefined) continue;
    const { source, order, apiKey } = found;
    const sender = apiKey === undefined ? provedAs : authenticate(apiKey);
    if (sender === undefined || holdsSecret(order, strike)) return undefined;
    const bodyDigest = hasClaim(order) ? undefined : hash('sha256', body, 'buffer');
    return { keyId: sender.keyId, source, order, ...(unmapped && { unmapped }), bodyDigest };
  }
  return undefined;
}

/** In any text of it, however deep it stands: `notify` has texts of its own. */
function holdsSecret(value: unknown, strike: StrikeSecrets): boolean {
  if (typeof value === 'string') return strike(value) !== value;
  return typeof value === 'object' && value !== null && Object.values(value).some((each) => holdsSecret(each, strike));
}

function readOrNothing(read: () => ReadOrder): ReadOrder | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function senderIn(body: Uint8Array, authenticate: RefusalMemory['authenticate']): KnownSender | undefined {
  const text = new TextDecoder().decode(body.subarray(0, MAX_SEARCHED_BYTES));
  for (const pattern of KEY_IN_TEXT) {
    const key = pattern.exec(text)?.[1];
    const sender = key === undefined ? undefined : authenticate(key);
    if (sender !== undefined) return sender;
  }
  return undefined;
}
