// Clients of the market-data stream over real sockets, which write down every frame, and the server they talk to.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { openSockets } from '../../src/http/testing/socket-fixture.ts';
import type { BarHub } from '../../src/market-data/bar-hub.ts';
import { createMarketStream, type MarketStreamOptions } from '../../src/services/scripts/stream.ts';

export interface Frame {
  readonly type: 'status' | 'kline' | 'error' | 'pong';
  readonly state?: string;
  readonly code?: string;
  readonly source?: string;
  readonly symbol?: string;
  readonly bar?: { readonly time: number; readonly volume: number; readonly closed: boolean };
}

export interface StreamClient {
  readonly ws: WebSocket;
  readonly frames: Frame[];
  readonly closed: number[];
  say(message: object): void;
}

export async function openStreamServer(hub: BarHub, choice: Partial<MarketStreamOptions> = {}) {
  const route = createMarketStream({ hub, monotonicMs: () => performance.now(), ...choice });
  const limits = { maxSocketsPerAddress: 10_000, closeTimeoutMs: 500 };
  const { server, sockets, lines } = await openSockets({ routes: [route], limits });

  const connect = async (query = 'symbol=BTCUSDT&interval=1m'): Promise<StreamClient> => {
    const ws = new WebSocket(`ws://127.0.0.1:${server.port}/api/stream?${query}`, { perMessageDeflate: false });
    const frames: Frame[] = [];
    const closed: number[] = [];
    ws.on('message', (data) => frames.push(JSON.parse(String(data))));
    ws.on('close', (code) => closed.push(code));
    await once(ws, 'open');
    ws.on('error', () => {});
    return { ws, frames, closed, say: (message) => ws.send(JSON.stringify(message)) };
  };
  return { connect, sockets, lines, stop: () => server.stop(2000) };
}

export const closedTimes = (frames: readonly Frame[], symbol = 'BTCUSDT'): number[] =>
  frames.flatMap((frame) => (frame.symbol === symbol && frame.bar?.closed ? [frame.bar.time] : []));
