// An owner of the desk that says of every request what it got, and looks for one that nobody has sent to it: which only stood in the
// body of another.

import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { DeskDoor } from '../../../src/composition/desk-door.ts';
import { createLog } from '../../../src/http/log.ts';
import { peerOfSocket } from '../../../src/http/peers.ts';
import { refuseHandshake } from '../../../src/http/socket-handshake.ts';
import { statusShape } from '../../../src/http/status-shape.ts';

/** Written into heads and bodies by whoever wants to be somebody else. */
export const FORGED_ADDRESS = '203.0.113.66';
export const SOCKET_PATH = '/ws';
const CLIENT = '127.0.0.1';
/** Of both. */
export const STANDBY_CONFIG = {
  ...{ host: CLIENT, port: 0, trustedProxies: [], internalToken: 't'.repeat(32), baseUrl: undefined },
};

/** What it says of a request, as JSON. */
export interface Echo {
  readonly id: string;
  readonly method: string;
  readonly digest: string;
}

/** What it does wrong where that is to be noticed. */
export type Misdeed = 'gives each the answer of another' | 'answers 500' | 'sends a foreign frame';

export const FOREIGN_FRAME = 'of somebody else';

export const digestOf = (body: Uint8Array | string): string =>
  createHash('sha256').update(body).digest('hex').slice(0, 16);

export class EchoOwner {
  readonly #door: DeskDoor;
  readonly #faults: string[];

  private constructor(door: DeskDoor, faults: string[]) {
    this.#door = door;
    this.#faults = faults;
  }

  static async start(misdeed?: Misdeed): Promise<EchoOwner> {
    const faults: string[] = [];
    const look = ({ method, url, headers, socket }: IncomingMessage): void => {
      const peer = peerOfSocket(socket);
      // Of one that has left nobody knows it any more.
      if (peer !== CLIENT && peer !== undefined)
        faults.push(`a request of ${peer}: ${method} ${url} ${JSON.stringify(headers).slice(0, 500)}`);
    };
    const sockets = new WebSocketServer({ noServer: true });
    if (misdeed === 'sends a foreign frame')
      sockets.on('connection', (client: WebSocket) => client.send(FOREIGN_FRAME));
    let before: string | undefined;
    const answerOf = (text: string): string => {
      if (misdeed !== 'gives each the answer of another') return text;
      const other = before ?? text;
      before = text;
      return other;
    };
    const door = await DeskDoor.open({
      config: STANDBY_CONFIG,
      log: createLog({ level: 'error', name: 'fuzz' }),
      owner: () => undefined,
    });
    door.serveHere(
      (incoming, outgoing) => {
        look(incoming);
        if (misdeed === 'answers 500') outgoing.statusCode = 500;
        void echo(incoming, outgoing, answerOf);
      },
      {
        onUpgrade(incoming, socket, head) {
          look(incoming);
          upgrade(sockets, incoming, socket, head);
        },
        stop: async () => sockets.close(),
      },
    );
    return new EchoOwner(door, faults);
  }

  get port(): number {
    return this.#door.port;
  }

  /** Since the last call. */
  faults(): readonly string[] {
    return this.#faults.splice(0);
  }

  close(): Promise<void> {
    return this.#door.stop(0);
  }
}

/** Some are answered before their body has come, some in pieces, some not to the end. */
async function echo(
  ...[incoming, outgoing, answerOf]: [...Parameters<RequestListener>, answerOf: (text: string) => string]
): Promise<void> {
  const { method = '', url = '', headers } = incoming;
  const id = String(headers['x-id']);
  if (url.startsWith('/early')) return void outgoing.writeHead(413).end(JSON.stringify({ id, method, digest: '' }));
  const hash = createHash('sha256');
  try {
    for await (const piece of incoming) hash.update(piece as Buffer);
  } catch {
    // Whoever sent it has left.
    return;
  }
  const text = answerOf(JSON.stringify({ id, method, digest: hash.digest('hex').slice(0, 16) } satisfies Echo));
  if (url.startsWith('/cut')) {
    outgoing.writeHead(200, { 'content-length': text.length + 1 }).write(text, () => outgoing.destroy());
  } else if (url.startsWith('/pieces')) {
    for (const letter of text.match(/.{1,20}/g) ?? []) outgoing.write(letter);
    outgoing.end();
  } else outgoing.end(text);
}

function upgrade(sockets: WebSocketServer, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on('error', () => {});
  if (incoming.url !== SOCKET_PATH) return void refuseHandshake(socket, 'NOT_FOUND', 'x', statusShape);
  sockets.handleUpgrade(incoming, socket, head, (client) => {
    client.on('error', () => {});
    client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
    sockets.emit('connection', client);
  });
}
