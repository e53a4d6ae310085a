// A door whose connections are handed on, and other processes that take them, answer something else or nothing.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'vitest';
import { type BridgeOptions, ConnectionBridge } from '../connection-bridge.ts';
import { TAKEN } from '../handed-on.ts';
import { type RawClient, rawClient } from './raw-client.ts';

export const PROOF = 'p'.repeat(64);
export const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
export const NOTHING = '';

/** One that may own the desk. */
interface OtherProcess {
  readonly server: Server;
  readonly port: number;
  readonly asked: string[];
  readonly taken: Taken[];
}

interface Taken {
  readonly socket: Socket;
  heard: string;
}

type Options = Omit<BridgeOptions, 'target' | 'proof'>;

export class BridgedDoor {
  target: OtherProcess | undefined;
  /** What was given back, and what it has said. */
  readonly servedHere: { socket: Socket; text: string }[] = [];
  readonly heardBy = new Map<Socket, string>();
  readonly #others: OtherProcess[] = [];
  readonly #door: Server;
  bridge: ConnectionBridge;
  /** Sees each connection first. */
  onConnection: (socket: Socket) => void = () => {};

  constructor() {
    this.bridge = this.#bridge({});
    this.#door = createServer({ allowHalfOpen: true }, (socket) => {
      this.onConnection(socket);
      this.bridge.take(socket, () => {
        const served = { socket, text: '' };
        this.servedHere.push(served);
        socket.on('error', () => {});
        socket.on('data', (bytes) => (served.text += bytes.toString()));
      });
    });
  }

  async listen(): Promise<void> {
    this.#door.listen(0, '127.0.0.1');
    await once(this.#door, 'listening');
    this.target = await this.otherProcess();
  }

  get port(): number {
    return (this.#door.address() as AddressInfo).port;
  }

  /** From now on a bridge with other options. */
  open(options: Options): void {
    this.bridge = this.#bridge(options);
  }

  client(): RawClient {
    return rawClient(this.port);
  }

  connections(): Promise<number> {
    return new Promise((resolve) => this.#door.getConnections((_, count) => resolve(count)));
  }

  async otherProcess(answer = TAKEN): Promise<OtherProcess> {
    const asked: string[] = [];
    const taken: Taken[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        asked.push(bytes.toString());
        socket.write(answer);
        if (answer !== TAKEN) return;
        const each: Taken = { socket, heard: '' };
        taken.push(each);
        socket.on('data', (more) => (each.heard += more.toString('latin1')));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const other = { server, port: (server.address() as AddressInfo).port, asked, taken };
    this.#others.push(other);
    return other;
  }

  /** Takes each connection only when it is told to. */
  async slowProcess(): Promise<OtherProcess & { readonly sockets: Socket[] }> {
    const other = await this.otherProcess(NOTHING);
    const sockets: Socket[] = [];
    other.server.on('connection', (socket: Socket) => {
      sockets.push(socket);
      socket.on('data', (bytes) => this.heardBy.set(socket, `${this.heardBy.get(socket) ?? ''}${bytes}`));
    });
    return Object.assign(other, { sockets });
  }

  /** What the other process has of a client that says something, once it has heard that much. */
  async carried(from: RawClient): Promise<{ socket: Socket; heard: () => string }> {
    const count = this.target?.taken.length ?? 0;
    from.send(GET);
    await expect.poll(() => this.target?.taken[count]?.heard).toBe(GET);
    const taken = this.target?.taken[count] as Taken;
    return { socket: taken.socket, heard: () => taken.heard };
  }

  async close(): Promise<void> {
    await this.bridge.stop(0);
    for (const { socket } of this.servedHere) socket.destroy();
    for (const { server, taken } of this.#others) {
      for (const { socket } of taken) socket.destroy();
      server.close();
    }
    this.#door.close();
  }

  #bridge(options: Options): ConnectionBridge {
    const at = () => (this.target === undefined ? undefined : { host: '127.0.0.1', port: this.target.port });
    return new ConnectionBridge({ target: at, proof: PROOF, ...options });
  }
}

export async function openBridgedDoor(): Promise<BridgedDoor> {
  const world = new BridgedDoor();
  await world.listen();
  return world;
}
