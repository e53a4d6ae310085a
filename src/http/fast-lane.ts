// The fast lane: serves plain requests to a door straight from the socket, and leaves every other byte to node:http.
import type { Socket } from 'node:net';
import type { Answer } from './answer.ts';
import { callDoor, type Road, type Roads, roadsOf } from './door.ts';
import { CLIENT_GONE_STATUS } from './errors.ts';
import type { Exchange, Kit } from './kit.ts';
import { headerValue, type PlainRequest, readPlainRequest } from './request-head.ts';
import { createWriteOut, type WriteOut } from './wire-answer.ts';

export interface FastLaneOptions {
  roads: Roads;
  // The wall clock, for the Date header.
  nowMs: () => number;
  // A connection that sends nothing for this long after it opened is refused.
  firstByteTimeoutMs: number;
  keepAliveTimeoutMs: number;
  // Gives the socket to node's server, which then serves it to its end.
  handOver: (socket: Socket) => void;
  // Answers 408 and closes.
  refuseSilent: (socket: Socket) => void;
}

export interface FastLane {
  accept(socket: Socket): void;
  // Ends idle connections; those at work close after their answer, which says so.
  drain(): void;
}

interface Lane {
  readonly kit: Kit;
  readonly roads: ReadonlyMap<string, Road>;
  readonly writeOut: WriteOut;
  readonly options: FastLaneOptions;
  readonly connections: Set<Connection>;
  isDraining: boolean;
}

// The announced time is a promise: a request sent in its last instant must still find the connection open.
const KEEP_ALIVE_GRACE_MS = 1000;

// From the start of a drain to the first byte of a connection that has said nothing yet.
const FRESH_GRACE_MS = 500;

export function createFastLane(options: FastLaneOptions): FastLane {
  const { roads, nowMs, keepAliveTimeoutMs } = options;
  const lane: Lane = {
    kit: roads.app.kit,
    roads: roadsOf(roads),
    writeOut: createWriteOut({ nowMs, keepAliveTimeoutMs }),
    options,
    connections: new Set(),
    isDraining: false,
  };
  return {
    accept: (socket) => {
      if (lane.isDraining) options.handOver(socket);
      else lane.connections.add(new Connection(socket, lane));
    },
    drain: () => {
      lane.isDraining = true;
      for (const connection of [...lane.connections]) connection.drain();
    },
  };
}

// fresh → working → idle → working → …, until the socket closes or goes to node for good (gone).
type State = 'fresh' | 'working' | 'idle' | 'gone';

class Connection {
  readonly #socket: Socket;
  readonly #lane: Lane;
  readonly #peer: string | undefined;
  #state: State = 'fresh';
  // What came while a request was at work: one chunk, then the socket is paused, so memory stays bounded.
  #waiting: Buffer | undefined;

  constructor(socket: Socket, lane: Lane) {
    this.#socket = socket;
    this.#lane = lane;
    this.#peer = socket.remoteAddress;
    socket.setTimeout(lane.options.firstByteTimeoutMs);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    socket.on('end', this.#onEnd);
    socket.on('data', this.#onData);
  }

  drain(): void {
    if (this.#state === 'fresh') this.#handOverFresh();
    else if (this.#state === 'idle') this.#endSoon();
  }

  // A first request may be on its way and gets its answer. Browsers also connect without saying anything, and node would
  // wait for the first word of such a connection as long as the drain may take.
  #handOverFresh(): void {
    const socket = this.#socket;
    this.#handOver(undefined);
    setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, FRESH_GRACE_MS).unref();
  }

  // After its last answer a connection takes no further request: nobody could be told how that one went.
  #endSoon(): void {
    this.#state = 'gone';
    this.#socket.destroySoon();
  }

  #onData = (chunk: Buffer): void => {
    if (this.#state === 'working') {
      this.#waiting = chunk;
      this.#socket.pause();
    } else if (this.#state !== 'gone') this.#look(chunk);
  };

  #look(chunk: Buffer): void {
    const request = readPlainRequest(chunk, this.#lane.roads);
    if (request === undefined) this.#handOver(chunk);
    else this.#serve(request);
  }

  #serve({ road, head, body, isForwarded }: PlainRequest<Road>): void {
    const { kit, options } = this.#lane;
    if (this.#state === 'fresh') this.#socket.setTimeout(options.keepAliveTimeoutMs + KEEP_ALIVE_GRACE_MS);
    this.#state = 'working';
    const exchange = kit.begin(this.#peer, isForwarded ? headerValue(head, 'x-forwarded-for') : undefined);
    const { requestId, clientAddress } = exchange;
    callDoor(
      kit,
      road.answer,
      { requestId, body, clientAddress, headers: (name) => headerValue(head, name) },
      (answer) => {
        road.finish(exchange, this.#answer(answer, exchange));
        if (this.#socket.isPaused()) this.#goOn();
      },
    );
  }

  // Returns the status that was sent: an answer that cannot be encoded becomes a fault of ours.
  #answer(answer: Answer, { requestId }: Exchange): number {
    const { kit, writeOut, isDraining } = this.#lane;
    const socket = this.#socket;
    // The work is done and stays done, but the log must not say that anybody was told.
    if (!socket.writable) return CLIENT_GONE_STATUS;
    let wire: ReturnType<WriteOut>;
    try {
      wire = writeOut(answer, requestId, isDraining);
    } catch (thrown) {
      wire = writeOut(kit.fail(thrown, requestId), requestId, isDraining);
    }
    this.#state = 'idle';
    const isFlushed = socket.write(wire.text, wire.encoding);
    if (wire.isLast) this.#endSoon();
    else if (!isFlushed) {
      // Whoever does not read its answers gets no more of them.
      socket.pause();
      socket.once('drain', this.#onDrain);
    }
    return wire.status;
  }

  #onDrain = (): void => this.#goOn();

  // Looks at what came meanwhile, and takes more unless that began new work or went to node.
  #goOn(): void {
    if (this.#state !== 'idle' || this.#socket.writableNeedDrain) return;
    const chunk = this.#waiting;
    this.#waiting = undefined;
    if (chunk !== undefined) this.#look(chunk);
    else this.#socket.resume();
  }

  #handOver(chunk: Buffer | undefined): void {
    const socket = this.#socket;
    this.#leave();
    socket.setTimeout(0);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    socket.off('end', this.#onEnd);
    socket.off('data', this.#onData);
    // Paused, the socket keeps the chunk in front of whatever follows until node listens.
    socket.pause();
    if (chunk !== undefined) socket.unshift(chunk);
    this.#lane.options.handOver(socket);
    socket.resume();
  }

  #leave(): void {
    this.#state = 'gone';
    this.#waiting = undefined;
    this.#lane.connections.delete(this);
  }

  // Like node: a client that ends its side is not waited for.
  #onEnd = (): void => {
    this.#socket.end();
  };

  #onClose = (): void => this.#leave();

  // A close follows every error and tells all there is to tell.
  #onError = (): void => {};

  #onTimeout = (): void => {
    if (this.#state === 'fresh') {
      this.#state = 'gone';
      this.#lane.options.refuseSilent(this.#socket);
    } else if (this.#state === 'idle') this.#socket.destroy();
  };
}
