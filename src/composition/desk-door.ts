// The port of a process that shares its database with others. Until it owns the desk it passes everything on to the one that does,
// so it does not matter to which of them a load balancer sends a request; from then on it serves itself.

import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Config } from '../config.ts';
import { Refusal } from '../http/errors.ts';
import type { Log } from '../http/log.ts';
import { nodeListener } from '../http/node-listener.ts';
import { byForwardedFor, createReverseProxy, PASSED_ON_HEADER, type ProxyTarget } from '../http/reverse-proxy.ts';
import { type Listening, listen, type Sockets } from '../http/server.ts';
import { refuseHandshake } from '../http/socket-handshake.ts';
import { statusShape } from '../http/status-shape.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../services/gateway/index.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { nowMs } from './clocks.ts';
import { createProcessContext } from './process-context.ts';

export interface DeskDoorParts {
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies' | 'internalToken' | 'baseUrl'>;
  readonly log: Log;
  /** Where the owner of the desk is reached; undefined while there is none, or none that may be passed on to. */
  readonly owner: () => ProxyTarget | undefined;
}

const AWAY = 'no process owns the desk at this moment; one of those that stand by takes over within seconds';
const RETRY = { headers: { 'retry-after': '2' } };

export class DeskDoor {
  readonly #server: Listening;
  readonly #behind: Behind;
  readonly #passing: { cut(): void };

  private constructor(server: Listening, behind: Behind, passing: { cut(): void }) {
    this.#server = server;
    this.#behind = behind;
    this.#passing = passing;
  }

  static async open({ config, log, owner }: DeskDoorParts): Promise<DeskDoor> {
    const passing = passingOn({ config, log, owner });
    const behind = new Behind(passing);
    const { host, port } = config;
    const server = await listen({ listener: behind.serve, sockets: behind, host, port });
    return new DeskDoor(server, behind, passing);
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  /** From now on. What was passed on before is finished by the other. */
  serveHere(listener: RequestListener, sockets: Sockets): void {
    this.#behind.become({ serve: listener, sockets });
  }

  /** The owner is another one now, and the one before will not answer any more. */
  cutPassedOn(): void {
    this.#passing.cut();
  }

  stop(drainMs: number): Promise<void> {
    return this.#server.stop(drainMs);
  }
}

interface Served {
  readonly serve: RequestListener;
  readonly sockets: Sockets;
}

/** What is behind the door now. */
class Behind implements Sockets {
  #served: Served;
  readonly #before: Served[] = [];

  constructor(served: Served) {
    this.#served = served;
  }

  become(served: Served): void {
    this.#before.push(this.#served);
    this.#served = served;
  }

  readonly serve: RequestListener = (incoming, outgoing) => this.#served.serve(incoming, outgoing);

  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#served.sockets.onUpgrade(incoming, socket, head);
  }

  async stop(drainMs: number): Promise<void> {
    await Promise.all([this.#served, ...this.#before].map(({ sockets }) => sockets.stop(drainMs)));
  }
}

function passingOn({ config, log, owner }: DeskDoorParts): Served & { cut(): void } {
  const alarms = createRaisedAlarms({ nowMs, log });
  const context = createProcessContext(config, log, { process: 'trading', alarms });
  const app = context.makeApp('gateway', GATEWAY_ERRORS, gatewayShape);
  app.use(() => {
    throw new Refusal('TRY_AGAIN', AWAY, RETRY);
  });
  const proxy = createReverseProxy({
    // One that comes back, because PROCESS_URL of the owner leads here or to a load balancer, would go round for ever.
    target: ({ headers }) => (headers[PASSED_ON_HEADER] === undefined ? owner() : undefined),
    introduction: byForwardedFor((peer) => context.trustedProxies.includes(peer)),
    onUnavailable: nodeListener(app),
    // It may have been traded: whoever sent it learns what he would learn of a process that died, and no more.
    onBroken: (_, outgoing) => void outgoing.destroy(),
    onSocketUnavailable: (_, socket) => void refuseHandshake(socket, 'AWAY', context.requestIds(), statusShape),
  });
  return { serve: proxy.serve, sockets: proxy, cut: () => proxy.cut() };
}
