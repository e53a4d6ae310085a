// What stands around the request in a message of WS /ws/run: its type, and the id that its answer carries.

import { refusal } from './refusal.ts';

/** Ids are made by clients: a number, or a text like a UUID. */
const MAX_ID_CHARS = 128;
/** Type and id of a message that begins with them, in either order, as the clients that are known write it. */
const TYPE = /"type"\s*:\s*"run"/.source;
const ID = /"id"\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\]|\\.)*"|null)/.source;
const OPENING = new RegExp(String.raw`^\s*\{\s*(?:${TYPE}\s*,\s*)?${ID}\s*[,}]`);
/** Longer ids are refused anyway. */
const OPENING_BYTES = 1024;

export type MessageId = string | number | null;

export interface Envelope {
  readonly type: 'run' | 'ping';
  readonly id: MessageId;
  readonly request: Readonly<Record<string, unknown>>;
}

/** Throws the refusal; `onId` is told the id before, because the refusal carries it. */
export function readEnvelope(value: unknown, onId: (id: MessageId) => void): Envelope {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('INVALID_BODY', 'The message is not an object. Send one like {"type":"ping","id":1}.');
  const { type, id: given, ...request } = value as Record<string, unknown>;
  const id = idOf(given);
  onId(id);
  if (type === 'run' || type === 'ping') return { type, id, request };
  throw type === undefined
    ? refusal('MISSING_FIELD', 'type: is missing, send "run" or "ping"')
    : refusal('INVALID_FIELD', 'type: has a value that is not allowed, send "run" or "ping"');
}

/** The same where only a run makes sense: a ping is answered by the event loop, and is short. */
export function runEnvelope(value: unknown, onId: (id: MessageId) => void): Envelope {
  const envelope = readEnvelope(value, onId);
  if (envelope.type === 'run') return envelope;
  throw refusal('INVALID_FIELD', 'type: is "ping" in a long message, send a ping without other fields');
}

/** The id of a message that nobody has read, where it stands at its beginning; null elsewhere. */
export function idAtTheBeginning(message: Uint8Array): MessageId {
  const text = Buffer.from(message.subarray(0, OPENING_BYTES)).toString('utf8');
  const found = OPENING.exec(text)?.[1];
  try {
    return found === undefined ? null : idOf(JSON.parse(found));
  } catch {
    return null;
  }
}

/** Without an id a client with one message under way still knows what is answered. */
function idOf(id: unknown): MessageId {
  if (id === undefined || id === null) return null;
  if (typeof id === 'number' && Number.isFinite(id)) return id;
  if (typeof id === 'string' && id.length <= MAX_ID_CHARS) return id;
  throw refusal('INVALID_FIELD', `id: is not usable, send a number or a text of at most ${MAX_ID_CHARS} characters`);
}
