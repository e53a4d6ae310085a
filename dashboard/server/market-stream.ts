// Live bars of one market: a connection that is opened again whenever it is lost.

import { LastingSocket } from './lasting-socket.ts';

export interface StreamBar {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly closed: boolean;
}

export interface MarketStreamOptions {
  readonly symbol: string;
  readonly interval: string;
  readonly onBar: (bar: StreamBar) => void;
  /** `open` also after a loss: bars may be missing since. */
  readonly onState: (state: 'open' | 'lost') => void;
}

interface Frame {
  readonly type: string;
  readonly bar?: StreamBar;
}

export class MarketStream {
  readonly #socket: LastingSocket;

  constructor({ symbol, interval, onBar, onState }: MarketStreamOptions) {
    this.#socket = new LastingSocket({
      path: () => `/api/stream?${new URLSearchParams({ symbol, interval })}`,
      onOpen: () => onState('open'),
      onLost: () => onState('lost'),
      onFrame: (frame) => {
        const { type, bar } = frame as Frame;
        if (type === 'kline' && bar !== undefined) onBar(bar);
      },
    });
  }

  close(): void {
    this.#socket.close();
  }
}
