// The market-data stream over a market of plain numbers, with sockets that write down what they are sent.

import type { KitSocket } from '../../../http/web-sockets.ts';
import { openTestHub } from '../../../market-data/testing/open-test-hub.ts';
import { createMarketStream, type MarketStreamOptions } from '../stream.ts';

/** As a client reads it. */
export interface Frame {
  readonly type: string;
  readonly state?: string;
  readonly code?: string;
  readonly message?: string;
  readonly interval?: string;
  readonly bar?: { readonly time: number; readonly closed: boolean };
  readonly k?: object;
}

export function openStream(choice: Partial<MarketStreamOptions> = {}) {
  const box = openTestHub();
  const route = createMarketStream({ hub: box.hub, monotonicMs: () => performance.now(), ...choice });

  const connect = (query = '', clientAddress = '127.0.0.1') => {
    const frames: Frame[] = [];
    const closes: [number, string][] = [];
    const socket = {
      bufferedBytes: 0,
      sendText: (text: string | Buffer) => void frames.push(JSON.parse(String(text))),
      close: (code: number, reason: string) => void closes.push([code, reason]),
    };
    const call = {
      requestId: '1',
      clientAddress,
      query: new URLSearchParams(query),
      header: () => undefined,
    };
    const handler = route.open(socket satisfies KitSocket, call) as { onText(text: string): void; onClose(): void };
    const say = async (message: unknown): Promise<Frame[]> => {
      const before = frames.length;
      handler.onText(typeof message === 'string' ? message : JSON.stringify(message));
      await box.clock.advance(0);
      return frames.slice(before);
    };
    return { frames, closes, socket, say, close: () => handler.onClose() };
  };
  return { ...box, route, connect };
}

export const BTC = { symbol: 'BTCUSDT', interval: '1m' };
