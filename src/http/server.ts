// Listens: a node:http server with limits on everything, clear start errors, and a stop that drains.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Roads } from './door.ts';
import { createFastLane, type FastLane } from './fast-lane.ts';
import { asksForWebSocket } from './socket-handshake.ts';

export interface ListenOptions {
  listener: RequestListener;
  // Doors whose plain requests are served without node:http; all others still reach the listener.
  fastLane?: Roads;
  host: string;
  // 0 takes any free port.
  port: number;
  maxConnections?: number;
  // Takes over WebSockets; without it, and for every other upgrade, the plain request is answered.
  sockets?: Sockets;
  headersTimeoutMs?: number;
  keepAliveTimeoutMs?: number;
}

export interface Sockets {
  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  stop(drainTimeoutMs: number): Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  // Resolves when every connection is closed: drained, or cut off after the timeout.
  stop(drainTimeoutMs: number): Promise<void>;
}

// A head that takes longer is a slow-loris attack; a whole request that takes longer holds a connection for nothing.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

// Longer than the 60 s of the usual proxies, so that the proxy closes first and never meets a closed connection.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 10_000;
const TIMEOUT_CHECK_MS = 5000;

export async function listen(options: ListenOptions): Promise<Listening> {
  const { listener, host, port, fastLane, maxConnections = MAX_CONNECTIONS, sockets } = options;
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, keepAliveTimeoutMs = KEEP_ALIVE_TIMEOUT_MS } = options;
  // The latest response of each open connection: what a stop has to mark.
  const connections = new Map<Socket, ServerResponse | undefined>();
  let stopping: Promise<void> | undefined;

  const serve: RequestListener = (incoming, outgoing) => {
    connections.set(incoming.socket, outgoing);
    if (stopping !== undefined) outgoing.shouldKeepAlive = false;
    listener(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeoutMs),
      shouldUpgradeCallback: (incoming) => sockets !== undefined && asksForWebSocket(incoming),
    },
    serve,
  );
  server.maxConnections = maxConnections;
  const lane = fastLane && openLane(server, { roads: fastLane, headersTimeoutMs, keepAliveTimeoutMs });
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.on('close', () => connections.delete(socket));
  });
  // The reader of the body says "continue", once it knows that the body is wanted.
  server.on('checkContinue', serve);
  server.on('clientError', refuseMalformed);
  if (sockets !== undefined) server.on('upgrade', sockets.onUpgrade);
  const boundPort = await bind(server, host, port);

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    stop: (drainTimeoutMs) => {
      // A closed server waits for its sockets too, so they are told to go.
      stopping ??= Promise.all([sockets?.stop(drainTimeoutMs), drain(server, lane, connections, drainTimeoutMs)]).then(
        () => {},
      );
      return stopping;
    },
  };
}

interface LaneSettings {
  roads: Roads;
  headersTimeoutMs: number;
  keepAliveTimeoutMs: number;
}

// Puts the lane before node's own way of taking a connection. The server stays node's: it accepts, counts and closes,
// and it watches the time of every connection that is handed over.
function openLane(server: Server, { roads, headersTimeoutMs, keepAliveTimeoutMs }: LaneSettings): FastLane {
  const takers = server.listeners('connection');
  server.removeAllListeners('connection');
  const lane = createFastLane({
    roads,
    nowMs: Date.now,
    firstByteTimeoutMs: headersTimeoutMs,
    keepAliveTimeoutMs,
    handOver: (socket) => {
      for (const taker of takers) Reflect.apply(taker, server, [socket]);
    },
    refuseSilent: (socket) => refuseMalformed({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket),
  });
  server.on('connection', lane.accept);
  return lane;
}

function drain(
  server: Server,
  lane: FastLane | undefined,
  connections: Map<Socket, ServerResponse | undefined>,
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    lane?.drain();
    for (const outgoing of connections.values()) {
      // Node then answers "Connection: close" and closes after the answer.
      if (outgoing !== undefined && !outgoing.headersSent) outgoing.shouldKeepAlive = false;
    }
    const cutOff = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, timeoutMs);
    // Also closes idle kept-alive connections at once.
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(startFault(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function startFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the other program, or choose another port, such as PORT=${port < 65_535 ? port + 1 : port - 1}.`,
    EACCES: `Port ${port} needs more rights. Choose a port above 1023, such as PORT=8787.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one it has, such as HOST=127.0.0.1.`,
    ENOTFOUND: `The host name ${host} is unknown. Set HOST to an address, such as HOST=127.0.0.1.`,
  };
  const message = remedies[error.code ?? ''] ?? `Cannot listen on ${host}:${port} (${error.code ?? error.message}).`;
  return new Error(message, { cause: error });
}

const MALFORMED_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function refuseMalformed(error: { code?: string | undefined }, socket: Duplex): void {
  // After a reset there is nobody to tell.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = MALFORMED_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
