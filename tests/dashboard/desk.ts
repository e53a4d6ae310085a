// A whole Signalbox on paper behind a real port, which can be stopped and started again on its folder, and clients of its events.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Built, build } from '../../src/composition/build.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';
import { nodeListener } from '../../src/http/node-listener.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir } from '../support/process.ts';

export const WEBHOOK_KEY = `whk_${'d'.repeat(43)}`;
const silent = createLog({ level: 'silent', name: 'test' });

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
export type Json = any;

export interface Frame {
  readonly type: 'hello' | 'event' | 'heartbeat' | 'gap' | 'pong' | 'error';
  readonly cursor: string;
  readonly gap?: boolean;
  readonly kind?: string;
  readonly text?: string;
  readonly [name: string]: unknown;
}

export interface Follower {
  readonly ws: WebSocket;
  readonly frames: Frame[];
  readonly closed: { readonly code: number; readonly reason: string }[];
  /** Those of type event. */
  events(): readonly Frame[];
  /** Where it would go on. */
  cursor(): string;
}

export function follow(url: string, headers: Record<string, string> = {}): Promise<Follower> {
  const ws = new WebSocket(url.replace(/^http/, 'ws'), { headers, perMessageDeflate: false });
  const frames: Frame[] = [];
  const closed: { code: number; reason: string }[] = [];
  ws.on('message', (data) => frames.push(JSON.parse(String(data))));
  ws.on('close', (code, reason) => closed.push({ code, reason: String(reason) }));
  return once(ws, 'open').then(() => {
    ws.on('error', () => {});
    return {
      ...{ ws, frames, closed },
      events: () => frames.filter(({ type }) => type === 'event'),
      cursor: () => frames.findLast(({ cursor }) => cursor !== undefined)?.cursor ?? '',
    };
  });
}

export async function openDesk(settings: Readonly<Record<string, string>> = {}, dataDir = freshDataDir()) {
  const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: WEBHOOK_KEY, ...settings };
  const config = loadConfig(env, { checkAddressEntry: () => undefined });
  let running: { readonly built: Built; readonly server: Listening } | undefined;
  const start = async (): Promise<void> => {
    const built = await build(config, silent, { trade: true });
    await built.gateway?.desk.start({ afterCrash: false });
    const server = await listen({
      listener: nodeListener(built.app),
      sockets: built.sockets,
      host: '127.0.0.1',
      port: 0,
    });
    running = { built, server };
  };
  const stop = async (): Promise<void> => {
    const { built, server } = running ?? {};
    running = undefined;
    await server?.stop(2000);
    await built?.tearDown();
  };
  await start();
  closeAtEnd(stop);
  const url = (): string => running?.server.url ?? '';
  const ask = async (path: string, init: RequestInit = {}): Promise<Json> =>
    (await fetch(`${url()}${path}`, init)).json();
  return {
    dataDir,
    url,
    stop,
    built: () => running?.built as Built,
    async restart(): Promise<void> {
      await stop();
      await start();
    },
    ask,
    change: (method: string, path: string, body?: object) =>
      ask(path, { method, ...(body && { body: JSON.stringify(body) }) }),
    send: (fields: object = {}): Promise<Json> =>
      ask('/webhook', {
        method: 'POST',
        body: JSON.stringify({
          ...{ apiKey: WEBHOOK_KEY, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 },
          ...fields,
        }),
      }),
    follow: (query = '', headers?: Record<string, string>) => follow(`${url()}/events${query}`, headers),
  };
}
