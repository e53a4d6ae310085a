// What Prometheus is told about WebSockets: how many are open, what passed, how they ended and who was refused.
import type { Metrics } from './metrics.ts';
import type { SocketTally } from './open-socket.ts';

export interface SocketMeters {
  refused(code: string): void;
  closed(route: string, code: number): void;
}

/** The other side chooses among thousands of codes; beyond these one name is enough. */
const NAMED_CODES = new Set([1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1013]);

export function createSocketMeters(metrics: Metrics, size: () => number, tally: SocketTally): SocketMeters {
  metrics.gauge({ name: 'sockets_open', help: 'WebSockets open now.', collect: size });
  metrics.gauge({
    name: 'socket_messages_in',
    help: 'Texts received on WebSockets since the start.',
    collect: () => tally.messagesIn,
  });
  metrics.gauge({
    name: 'socket_messages_out',
    help: 'Texts sent on WebSockets since the start.',
    collect: () => tally.messagesOut,
  });
  const closed = metrics.counter({
    name: 'sockets_closed_total',
    help: 'WebSockets that ended, by route and close code.',
    labels: ['route', 'code'],
  });
  const refused = metrics.counter({
    name: 'sockets_refused_total',
    help: 'WebSocket handshakes that were refused, by error code.',
    labels: ['code'],
  });
  return {
    refused: (code) => refused.inc({ code }),
    closed: (route, code) => closed.inc({ route, code: NAMED_CODES.has(code) ? String(code) : 'other' }),
  };
}
