// Reads a request body up to a limit, from a node request or from a fetch request, and the JSON in it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ZodType } from 'zod';
import type { KitContext, KitEnv } from './context.ts';
import { ClientGone, Refusal } from './errors.ts';
import { parseJsonBody } from './json-body.ts';
import { zodFaults } from './zod-faults.ts';

/**
 * Nothing beyond the limit is kept, but this much more is read and thrown away: closing at once would reset the
 * connection under a client that is still sending, and it would never see the 413.
 */
export const DISCARD_LIMIT_BYTES = 8 * 1024 * 1024;

type Done = (fault: Error | undefined, bytes: Uint8Array) => void;
/** Told how much of a body is kept so far; a fault it returns ends the reading. */
export type Grow = (bytes: number) => Error | undefined;
type PiecesDone = (fault: Error | undefined, pieces: readonly Uint8Array[]) => void;

const NOTHING = new Uint8Array(0);

export function tooLarge(limitBytes: number, closeConnection: boolean): Refusal<'PAYLOAD_TOO_LARGE'> {
  const detail = `The body is larger than ${limitBytes} bytes. Send a smaller one.`;
  return new Refusal('PAYLOAD_TOO_LARGE', detail, closeConnection ? { headers: { connection: 'close' } } : {});
}

/** Calls back exactly once: with the body, a refusal (413), or ClientGone. */
export function readIncoming(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limitBytes: number,
  done: Done,
): void {
  readPieces(incoming, outgoing, limitBytes, (fault, pieces) => done(fault, joined(pieces)));
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length > 1 ? Buffer.concat(pieces) : (pieces[0] ?? NOTHING);

/** Gives the body as it came, for whoever hands it on instead of reading it here: joining it would copy megabytes. */
function readPieces(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limitBytes: number,
  done: PiecesDone,
  grow?: Grow,
): void {
  if (incoming.headers.expect !== undefined) {
    // The client waits for our word before it sends: refuse a declared excess before a byte of it travels.
    if (Number(incoming.headers['content-length']) > limitBytes) {
      done(tooLarge(limitBytes, true), []);
      return;
    }
    outgoing.writeContinue();
  }
  collect(incoming, limitBytes, done, grow);
}

function collect(incoming: IncomingMessage, limitBytes: number, done: PiecesDone, grow?: Grow): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let settled = false;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limitBytes) {
      pieces = [];
      if (size > limitBytes + DISCARD_LIMIT_BYTES && !settled) {
        settled = true;
        done(tooLarge(limitBytes, true), []);
      }
      return;
    }
    // What comes after an end is let go by.
    if (settled) return;
    const fault = grow?.(size);
    if (fault === undefined) pieces.push(chunk);
    else {
      pieces = [];
      settled = true;
      done(fault, []);
    }
  });
  incoming.on('end', () => {
    if (settled) return;
    settled = true;
    if (size > limitBytes) done(tooLarge(limitBytes, false), []);
    else done(undefined, pieces);
  });
  const gone = (): void => {
    if (settled) return;
    settled = true;
    done(new ClientGone('The client closed the connection early.'), []);
  };
  // Node reports a connection that broke inside the body as an error, always before the close.
  incoming.on('error', gone);
  if (incoming.destroyed) gone();
}

async function readFetchBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (Number(request.headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes, false);
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(limitBytes, false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Is for a route that reads its body once and hands it on; nobody else gets it afterwards. */
export async function readBodyPieces(c: KitContext, limitBytes: number, grow?: Grow): Promise<readonly Uint8Array[]> {
  const { incoming, outgoing } = (c.env as KitEnv['Bindings'] | undefined) ?? {};
  if (incoming === undefined || outgoing === undefined) {
    const body = await readBody(c, limitBytes);
    const fault = grow?.(body.length);
    if (fault !== undefined) throw fault;
    return [body];
  }
  return new Promise((resolve, reject) => {
    readPieces(incoming, outgoing, limitBytes, (fault, pieces) => (fault ? reject(fault) : resolve(pieces)), grow);
  });
}

/** The first caller's limit counts: the body can only be read once, later callers get the same bytes. */
export function readBody(c: KitContext, limitBytes = c.get('bodyLimitBytes')): Promise<Uint8Array> {
  const known = c.get('body');
  if (known !== undefined) return known;
  const bindings = c.env as KitEnv['Bindings'] | undefined;
  const { incoming, outgoing } = bindings ?? {};
  const body =
    incoming === undefined || outgoing === undefined
      ? readFetchBody(c.req.raw, limitBytes)
      : new Promise<Uint8Array>((resolve, reject) => {
          readIncoming(incoming, outgoing, limitBytes, (fault, bytes) => (fault ? reject(fault) : resolve(bytes)));
        });
  c.set('body', body);
  return body;
}

export async function readJson(c: KitContext, limitBytes?: number): Promise<unknown> {
  const parsed = parseJsonBody(await readBody(c, limitBytes));
  if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
  return parsed.value;
}

export interface ReadValidOptions {
  limitBytes?: number;
  /** The code of the service's table for a body of the wrong shape. */
  code?: string;
}

export async function readValid<Output>(
  c: KitContext,
  schema: ZodType<Output>,
  { limitBytes, code = 'INVALID_JSON' }: ReadValidOptions = {},
): Promise<Output> {
  const value = await readJson(c, limitBytes);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = zodFaults(parsed.error, value);
  throw new Refusal(code, faults.join('; '), { extra: { faults } });
}
