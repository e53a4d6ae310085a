// A WebSocket for as long as somebody needs it.
//
//   connecting ──► open ──closed, or a ping that nobody answers──► waiting ──► connecting
//
// A network that goes away without a word leaves a connection that looks open for ever, and no browser tells a page of the pings below
// its messages. So the page sends pings of its own, which every socket of ours answers. The wait before the next try is twice as long
// each time, and short again once the server has said something.

export interface LastingSocketOptions {
  /** Path and query of the next connection, which may go on from elsewhere than the last. */
  readonly path: () => string;
  readonly onOpen?: () => void;
  readonly onFrame: (frame: unknown) => void;
  /** Also for a try that failed; `code` is that of the server, where it has given one. */
  readonly onLost: (code: number | undefined) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** What is not heard of until the next one is lost. */
const PING_EVERY_MS = 15_000;
const PING = JSON.stringify({ action: 'ping' });

export class LastingSocket {
  readonly #options: LastingSocketOptions;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = FIRST_WAIT_MS;
  /** Nothing came since the last ping, or since the connection was begun. */
  #isUnheard = true;

  constructor(options: LastingSocketOptions) {
    this.#options = options;
    this.#connect();
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onmessage = null;
    socket.onclose = null;
    // One that is not open yet would be counted as a failure if it were closed now.
    socket.onopen = () => socket.close();
    if (socket.readyState === WebSocket.OPEN) socket.close();
  }

  #connect(): void {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${this.#options.path()}`);
    this.#socket = socket;
    this.#isUnheard = true;
    socket.onopen = () => {
      this.#isUnheard = false;
      this.#options.onOpen?.();
    };
    socket.onmessage = ({ data }) => {
      this.#isUnheard = false;
      this.#waitMs = FIRST_WAIT_MS;
      this.#options.onFrame(JSON.parse(String(data)));
    };
    socket.onclose = ({ code }) => this.#lost(code);
    this.#timer = setTimeout(this.#ping, PING_EVERY_MS);
  }

  readonly #ping = (): void => {
    if (this.#isUnheard) {
      this.#lost();
      return;
    }
    this.#isUnheard = true;
    this.#socket?.send(PING);
    this.#timer = setTimeout(this.#ping, PING_EVERY_MS);
  };

  #lost(code?: number): void {
    this.close();
    this.#timer = setTimeout(() => this.#connect(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    this.#options.onLost(code);
  }
}
