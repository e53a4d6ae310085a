// Live bars of one market: a connection that is opened again whenever it is lost.

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

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

interface Frame {
  readonly type: string;
  readonly bar?: StreamBar;
}

export class MarketStream {
  readonly #options: MarketStreamOptions;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = FIRST_WAIT_MS;

  constructor(options: MarketStreamOptions) {
    this.#options = options;
    this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #open(): void {
    const { symbol, interval, onState } = this.#options;
    const query = new URLSearchParams({ symbol, interval });
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/stream?${query}`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      onState('open');
    };
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(String(data)) as Frame);
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      onState('lost');
      this.#timer = setTimeout(() => this.#open(), this.#waitMs);
      this.#waitMs = Math.min(this.#waitMs + this.#waitMs, LONGEST_WAIT_MS);
    };
  }

  #hear({ type, bar }: Frame): void {
    if (type === 'kline' && bar !== undefined) this.#options.onBar(bar);
  }
}
