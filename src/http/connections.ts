// The open connections of a server, and a bound on what a client may make it hold in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Requests behind the one at work. The connection of whoever sends more is closed at once. */
  readonly maxWaitingRequests: number;
  /** Answers that no client has taken yet, of all connections together; beyond it the largest are cut off. */
  readonly maxUntakenBytes: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { maxWaitingRequests: 100, maxUntakenBytes: 256 * 1024 * 1024 };

/** A connection that has said nothing when the server stops may still have its first request on the way. */
const FRESH_GRACE_MS = 500;
const SWEEP_MS = 1000;

interface Connection {
  atWork: ServerResponse | undefined;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  hasAsked: boolean;
}

/**
 * A client may send thousands of requests in one packet and read no answer (HTTP calls it pipelining). Node parses them
 * all at once, and would let each make its answer. So of every connection one request is at work at a time; the next
 * one begins when the answer before it has left for the client, and more than may wait close the connection: no honest
 * client sends so many, and reading on would fill the memory behind one slow answer. What nobody takes is bounded three times: by one
 * answer per connection, by the time a client may take nothing, and by the bytes of all connections together.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #listener: RequestListener;
  readonly #limits: ConnectionLimits;
  readonly #sweep: NodeJS.Timeout;
  #isStopping = false;

  constructor(listener: RequestListener, limits: ConnectionLimits = CONNECTION_LIMITS) {
    this.#listener = listener;
    this.#limits = limits;
    this.#sweep = setInterval(() => this.cutUntaken(), SWEEP_MS).unref();
  }

  add(socket: Socket): void {
    this.#enter(socket, false);
  }

  /** One whose bytes are carried to somebody else: what is not taken of them counts here. */
  carry(socket: Socket): void {
    this.#enter(socket, true);
  }

  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const connection = this.#open.get(incoming.socket);
    // What came in one packet with the request too many is still parsed after the connection was closed.
    if (connection === undefined || incoming.socket.destroyed) return;
    connection.hasAsked = true;
    if (connection.atWork === undefined) this.#begin(connection, incoming, outgoing);
    else if (connection.waiting.length < this.#limits.maxWaitingRequests) connection.waiting.push([incoming, outgoing]);
    // Node goes on reading, and keeps every request it has parsed, for as long as the connection is open.
    else incoming.socket.destroy();
  }

  /** A socket without traffic for a while: fine while the answer is still being made, else it is over. */
  onSilence(socket: Socket): void {
    const isBeingServed = this.#open.get(socket)?.atWork !== undefined && socket.writableLength === 0;
    if (!isBeingServed) socket.destroy();
  }

  /** Bytes of answers that are made and that no client has taken. */
  untakenBytes(): number {
    let bytes = 0;
    for (const socket of this.#open.keys()) bytes += socket.writableLength;
    return bytes;
  }

  cutUntaken(): void {
    let excess = this.untakenBytes() - this.#limits.maxUntakenBytes;
    if (excess <= 0) return;
    const byBytes = [...this.#open.keys()].sort((a, b) => b.writableLength - a.writableLength);
    for (const socket of byBytes) {
      if (excess <= 0) return;
      excess -= socket.writableLength;
      socket.destroy();
    }
  }

  /** What is at work is answered, and the connection closes then; what waits behind it is not begun. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#sweep);
    for (const { atWork } of this.#open.values()) {
      if (atWork !== undefined && !atWork.headersSent) atWork.shouldKeepAlive = false;
    }
    setTimeout(() => {
      for (const [socket, { hasAsked }] of this.#open) if (!hasAsked) socket.destroy();
    }, FRESH_GRACE_MS).unref();
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #enter(socket: Socket, hasAsked: boolean): void {
    this.#open.set(socket, { atWork: undefined, waiting: [], hasAsked });
    socket.on('close', () => this.#open.delete(socket));
  }

  #begin(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    connection.atWork = outgoing;
    if (this.#isStopping) outgoing.shouldKeepAlive = false;
    outgoing.once('close', () => {
      connection.atWork = undefined;
      const next = connection.waiting.shift();
      if (next !== undefined && !this.#isStopping && !incoming.socket.destroyed) this.#begin(connection, ...next);
    });
    this.#listener(incoming, outgoing);
  }
}
