// Listens: a node:http server with limits on everything, clear start errors, and a stop that drains.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts';
import { tellPeer } from './peers.ts';
import { asksForWebSocket } from './socket-handshake.ts';

/** A port of a host, 0 for any free one; or a Unix socket, which only this user can reach. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

export type ListenOptions = ListenAddress & ServerOptions;

export interface ServerOptions {
  listener: RequestListener;
  maxConnections?: number;
  /**
   * Takes over WebSockets; without it, and for every other upgrade, the plain request is answered. Its connection ends then,
   * and the answer says so: Node's parser drops whatever came in one packet with such a request, and a client that sent its
   * next request there must know that nobody has read it.
   */
  sockets?: Sockets;
  headersTimeoutMs?: number;
  keepAliveTimeoutMs?: number;
  /** How long a client may take nothing of an answer. */
  stalledTimeoutMs?: number;
  connectionLimits?: ConnectionLimits;
  /** Gets each connection before a byte of it is read; it is served here once `serve` is called. */
  inFront?: ((socket: Socket, serve: () => void) => void) | undefined;
}

export interface Sockets {
  /** Whether it takes such an upgrade; left out, WebSockets alone. */
  takes?(incoming: IncomingMessage): boolean;
  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  stop(drainTimeoutMs: number): Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** How many bytes of answers are made and not taken by any client. */
  untakenBytes(): number;
  /** What an upgrade has left of its connection is served like one of that client that has just come. */
  adopt(socket: Socket, peer: string): void;
  /** Resolves when every connection is closed: drained, or cut off after the timeout. */
  stop(drainTimeoutMs: number): Promise<void>;
}

/** A head that takes longer is a slow-loris attack; a whole request that takes longer holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Longer than the 60 s of the usual proxies, so that the proxy closes first and never meets a closed connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 10_000;
const TIMEOUT_CHECK_MS = 5000;

/** A client that takes nothing of its answer for so long is gone, or wants to fill our memory. */
const STALLED_TIMEOUT_MS = 30_000;

export async function listen(options: ListenOptions): Promise<Listening> {
  const { listener, maxConnections = MAX_CONNECTIONS, sockets } = options;
  const at = 'path' in options ? { path: options.path } : { host: options.host, port: options.port };
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, keepAliveTimeoutMs = KEEP_ALIVE_TIMEOUT_MS } = options;
  const { stalledTimeoutMs = STALLED_TIMEOUT_MS, connectionLimits = CONNECTION_LIMITS, inFront } = options;
  const takes = sockets?.takes ?? asksForWebSocket;
  const connections = new Connections(listener, connectionLimits);
  const serve: RequestListener = (incoming, outgoing) => {
    if (incoming.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false;
    connections.serve(incoming, outgoing);
  };
  let stopping: Promise<void> | undefined;

  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeoutMs),
      shouldUpgradeCallback: (incoming) => sockets !== undefined && takes(incoming),
    },
    serve,
  );
  server.maxConnections = maxConnections;
  // Older releases of Node 24 leave out what comes after a thousand headers, a length too, and its body is a request to whoever gets it
  // from us. The bytes of a head bound their number.
  server.maxHeadersCount = 0;
  server.timeout = stalledTimeoutMs;
  server.on('timeout', (socket) => connections.onSilence(socket));
  const begin = beginningOf(server, connections);
  const hand = (socket: Socket): void => {
    connections.carry(socket);
    inFront?.(socket, () => begin(socket));
  };
  server.on('connection', inFront === undefined ? begin : hand);
  // The reader of the body says "continue", once it knows that the body is wanted.
  server.on('checkContinue', serve);
  server.on('clientError', refuseMalformed);
  if (sockets !== undefined) {
    server.on('upgrade', (incoming, socket, head) => {
      // Node listens no more, and an error nobody hears would end the process.
      socket.on('error', () => socket.destroy());
      sockets.onUpgrade(incoming, socket, head);
    });
  }
  const port = await bind(server, at);

  return {
    url: 'path' in at ? `unix:${at.path}` : `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`,
    port,
    untakenBytes: () => connections.untakenBytes(),
    adopt(socket, peer) {
      tellPeer(socket, peer);
      begin(socket);
    },
    stop: (drainTimeoutMs) => {
      // A closed server waits for its sockets too, so they are told to go.
      stopping ??= Promise.all([sockets?.stop(drainTimeoutMs), drain(server, connections, drainTimeoutMs)]).then(
        () => {},
      );
      return stopping;
    },
  };
}

/** Node's own listener is the one that reads HTTP; it is called when it is known that this connection is for it. */
function beginningOf(server: Server, connections: Connections): (socket: Socket) => void {
  const reads = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    connections.add(socket);
    for (const read of reads) read.call(server, socket);
  };
}

function drain(server: Server, connections: Connections, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    connections.stop();
    const cutOff = setTimeout(() => connections.destroyAll(), timeoutMs);
    // Also closes idle kept-alive connections at once.
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}

/** Resolves with the port, which a Unix socket has not. */
function bind(server: Server, at: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(startFault(error, at)));
    server.listen(at, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function startFault(error: NodeJS.ErrnoException, at: ListenAddress): Error {
  if ('path' in at) {
    const words = `Cannot listen on ${at.path} (${error.code ?? error.message}). The folder must be there, writable, and on a disk with room that can hold sockets.`;
    return new Error(words, { cause: error });
  }
  const { host, port } = at;
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
  // After a reset nobody is left who could read an answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = MALFORMED_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
