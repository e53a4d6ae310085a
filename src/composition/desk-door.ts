// The port of a process that shares its database with others. Until it owns the desk it hands every connection on to the one that does,
// so it does not matter to which of them a load balancer sends a request; from then on it serves itself, and takes what others hand on.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Config } from '../config.ts';
import { type BridgeTarget, ConnectionBridge } from '../http/connection-bridge.ts';
import { Refusal } from '../http/errors.ts';
import { createGuessLimit, type GuessLimit } from '../http/guess-limit.ts';
import { asksToTake, handedPeer, proofBy, TAKEN } from '../http/handed-on.ts';
import type { Log } from '../http/log.ts';
import { nodeListener } from '../http/node-listener.ts';
import { type Listening, listen, type Sockets } from '../http/server.ts';
import { asksForWebSocket, refuseHandshake } from '../http/socket-handshake.ts';
import { statusShape } from '../http/status-shape.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../services/gateway/index.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { createProcessContext } from './process-context.ts';

export interface DeskDoorParts {
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies' | 'internalToken' | 'baseUrl'>;
  readonly log: Log;
  /** Where the owner of the desk is reached; undefined while there is none, or none to whom anything may be handed on. */
  readonly owner: () => BridgeTarget | undefined;
}

const AWAY =
  'no process owns the desk at this moment, and one of those that stand by takes over within seconds; or this one does not reach it, which its log tells';
/** A connection that stayed open would be kept from the next owner. */
const RETRY = { headers: { 'retry-after': '2', connection: 'close' } };

export class DeskDoor {
  readonly #bridge: ConnectionBridge;
  readonly #behind: Behind;
  #server: Listening | undefined;

  private constructor({ config, log, owner }: DeskDoorParts) {
    // Without a token nothing is handed on, and nobody can prove anything.
    const proof = proofBy(config.internalToken || randomUUID());
    this.#bridge = new ConnectionBridge({ target: owner, proof, onNotTaken: teller(log) });
    const adopt = (socket: Socket, peer: string): void => this.#server?.adopt(socket, peer);
    this.#behind = new Behind(nobody({ config, log }), { proof, adopt, guesses: createGuessLimit({ monotonicMs }) });
  }

  static async open(parts: DeskDoorParts): Promise<DeskDoor> {
    const door = new DeskDoor(parts);
    const { host, port } = parts.config;
    const behind = door.#behind;
    door.#server = await listen({
      ...{ listener: behind.serve, sockets: behind, host, port },
      inFront: (socket, serve) => (behind.isOpen ? serve() : door.#bridge.take(socket, serve)),
    });
    return door;
  }

  get url(): string {
    return this.#listening.url;
  }

  get port(): number {
    return this.#listening.port;
  }

  /** How many bytes of answers wait for clients, also of those that are carried. */
  untakenBytes(): number {
    return this.#listening.untakenBytes();
  }

  /** From now on. What was handed on before stays so, until `turn` or its own end. */
  serveHere(listener: RequestListener, sockets: Sockets): void {
    this.#behind.open({ serve: listener, sockets });
  }

  /** The owner is another one now, and the one before will not answer any more. */
  turn(): void {
    this.#bridge.turn();
  }

  async stop(drainMs: number): Promise<void> {
    await Promise.all([this.#bridge.stop(drainMs), this.#listening.stop(drainMs)]);
  }

  get #listening(): Listening {
    return this.#server as Listening;
  }
}

/** Each request would say it. */
const TOLD_EVERY_MS = 60_000;

function teller(log: Log): (owner: BridgeTarget, why: string) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return ({ host, port }, why) => {
    const atMs = monotonicMs();
    if (atMs - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = atMs;
    log.warn(
      { owner: `${host}:${port}`, why },
      'the owner of the desk takes no connection from here; is PROCESS_URL right there, and HOST?',
    );
  };
}

interface Served {
  readonly serve: RequestListener;
  readonly sockets: Sockets;
}

interface FellowParts {
  readonly proof: string;
  readonly adopt: (socket: Socket, peer: string) => void;
  /** The proof is as good as the token that it is made of. */
  readonly guesses: GuessLimit;
}

/** What is behind the door: nobody at first. */
class Behind implements Sockets {
  readonly #nobody: Served;
  readonly #fellows: FellowParts;
  #served: Served | undefined;

  constructor(nobody: Served, fellows: FellowParts) {
    this.#nobody = nobody;
    this.#fellows = fellows;
  }

  get isOpen(): boolean {
    return this.#served !== undefined;
  }

  open(served: Served): void {
    this.#served = served;
  }

  readonly serve: RequestListener = (incoming, outgoing) => (this.#served ?? this.#nobody).serve(incoming, outgoing);

  readonly takes = (incoming: IncomingMessage): boolean => asksForWebSocket(incoming) || asksToTake(incoming);

  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#served === undefined || !asksToTake(incoming))
      (this.#served ?? this.#nobody).sockets.onUpgrade(incoming, socket, head);
    else void this.#adopt(incoming, socket as Socket, head);
  }

  async #adopt(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { proof, adopt, guesses } = this.#fellows;
    let peer: string | undefined;
    await guesses.isRight(socket.remoteAddress ?? '', () => {
      peer = handedPeer(incoming, proof);
      return peer !== undefined;
    });
    // One that was malformed before this is answered and ended already.
    if (!socket.writable) return void socket.destroy();
    // Our own processes wait for the answer before they send what their client says.
    if (peer === undefined || head.length > 0 || socket.readableLength > 0)
      return void socket.end(NOT_TAKEN, () => socket.destroy());
    socket.write(TAKEN);
    adopt(socket, peer);
  }

  stop(drainMs: number): Promise<void> {
    return (this.#served ?? this.#nobody).sockets.stop(drainMs);
  }
}

const NOT_TAKEN = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

function nobody({ config, log }: Pick<DeskDoorParts, 'config' | 'log'>): Served {
  const alarms = createRaisedAlarms({ nowMs, log });
  const context = createProcessContext(config, log, { process: 'trading', alarms });
  const app = context.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
  app.use(() => {
    throw new Refusal('TRY_AGAIN', AWAY, RETRY);
  });
  return {
    serve: nodeListener(app),
    sockets: {
      onUpgrade: (_, socket) => void refuseHandshake(socket, 'AWAY', context.requestIds(), statusShape),
      stop: async () => {},
    },
  };
}
