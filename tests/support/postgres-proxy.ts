// A TCP proxy in front of a PostgreSQL that spoils a COMMIT in the ways in which a network or a server can do it.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { closeAtEnd } from './close-at-end.ts';

const HOST = '127.0.0.1';

/**
 * What becomes of the next COMMIT: the server never gets it; it gets it, and its answer is lost; it has certainly carried it
 * out, and its answer is lost; it gets it when the client has long been cut off; or nothing is cut, and it answers as one
 * that has given the transaction up.
 */
export type CommitFate = 'lost' | 'answer lost' | 'carried out' | 'late' | 'given up';

export interface PostgresProxy {
  /** The same database, through this proxy. */
  urlOf(url: string): string;
  /**
   * For the next one only. Resolves when it has come. `then` is run at that moment, and of one that is carried out when
   * its answer is there.
   */
  atNextCommit(fate: CommitFate, then?: () => unknown): Promise<void>;
}

/** Of the same length, and PostgreSQL answers it with ROLLBACK. */
const asAbort = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replace('COMMIT\0', 'ABORT;\0'), 'latin1');

export async function openPostgresProxy(port: number, lateByMs = 500): Promise<PostgresProxy> {
  let next: { fate: CommitFate; tell: () => unknown } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: HOST, noDelay: true });
    let isAnswerLost = false;
    let whenAnswered = (): unknown => undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      const cut = bytes.includes('COMMIT\0') ? next : undefined;
      if (cut === undefined) return upstream.write(bytes);
      next = undefined;
      isAnswerLost = cut.fate !== 'given up';
      if (cut.fate === 'carried out') {
        whenAnswered = cut.tell;
        return upstream.write(bytes);
      }
      cut.tell();
      if (cut.fate === 'given up') return upstream.write(asAbort(bytes));
      if (cut.fate === 'answer lost') return upstream.write(bytes);
      client.destroy();
      if (cut.fate === 'lost') return upstream.destroy();
      return setTimeout(() => upstream.end(bytes), lateByMs);
    });
    upstream.on('data', (bytes) => {
      if (!isAnswerLost) return client.write(bytes);
      whenAnswered();
      upstream.destroy();
      return client.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => isAnswerLost || upstream.destroy());
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  closeAtEnd(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    urlOf: (url) => Object.assign(new URL(url), { port: `${address.port}` }).href,
    atNextCommit: (fate, then = () => {}) =>
      new Promise((resolve) => {
        next = { fate, tell: () => resolve(void then()) };
      }),
  };
}
