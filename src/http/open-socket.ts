// One open WebSocket: hands its texts to a handler, holds both sides to their limits, and knows how it ended.
//
// open → closing (a close frame is on its way, or the connection is being cut) → closed. Texts pass only while open.
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { KitSocket, SocketHandler, SocketLimits } from './kit-socket.ts';

export interface SocketTally {
  messagesIn: number;
  messagesOut: number;
}

/** What a socket is given by whoever opens it, and whom it tells what happens to it. */
export interface SocketParts {
  readonly limits: SocketLimits;
  readonly tally: SocketTally;
  readonly nowMs: () => number;
  /** Bytes of texts that are not whole yet came in (or, below zero, are settled). */
  onUnfinished(bytes: number): void;
  onFault(fault: unknown): void;
  onClosed(code: number): void;
}

export const CLOSE = {
  goingAway: 1001,
  notText: 1003,
  abnormal: 1006,
  tooMuch: 1008,
  fault: 1011,
  tryLater: 1013,
  /** Of those that programs may choose themselves. */
  sessionEnded: 4401,
} as const;

/** The protocol has room for this much reason; the encoder never cuts a character in two. */
const MAX_REASON_BYTES = 123;
const encoder = new TextEncoder();

/** A frame from a client has two bytes of head and four of mask around the payload of a ping or pong. */
const CONTROL_FRAME_BYTES = 6;

export class OpenSocket implements KitSocket {
  readonly #ws: WebSocket;
  readonly #raw: Socket;
  readonly #parts: SocketParts;
  #handler: SocketHandler | undefined;
  #closeCode: number | undefined;
  #isDraining = false;
  #underWay = 0;
  #tokens: number;
  #tokensAtMs: number;
  #wasHeard = true;
  #unfinishedBytes = 0;
  #unfinishedSinceMs = 0;
  messagesIn = 0;
  messagesOut = 0;

  constructor(ws: WebSocket, raw: Socket, parts: SocketParts) {
    this.#ws = ws;
    this.#raw = raw;
    this.#parts = parts;
    this.#tokens = parts.limits.messageBurst;
    this.#tokensAtMs = parts.nowMs();
    // Before the parser's own listener, so that a message that ends in a chunk settles the chunk.
    raw.prependListener('data', this.#onBytes);
    ws.on('message', this.#onMessage);
    ws.on('ping', this.#onPing);
    ws.on('pong', (payload: Buffer) => this.#onControl(payload));
    // A frame against the rules; the library has sent the close code that names the fault already.
    ws.on('error', () => this.#stopCounting());
    ws.on('close', this.#onClosed);
  }

  /** Calls whoever answers on this socket; `open` may already send and close. */
  start(open: (socket: KitSocket) => SocketHandler): void {
    try {
      this.#handler = open(this);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  get bufferedBytes(): number {
    return this.#ws.readyState === WebSocket.CLOSED ? 0 : this.#ws.bufferedAmount;
  }

  get unfinishedBytes(): number {
    return this.#unfinishedBytes;
  }

  sendText(text: string | Buffer): void {
    if (!this.#isOpen()) return;
    if (this.#ws.bufferedAmount > this.#parts.limits.maxBufferedBytes) {
      this.close(CLOSE.tryLater, 'this connection does not take its answers; read faster or ask for less');
      return;
    }
    this.messagesOut += 1;
    this.#parts.tally.messagesOut += 1;
    this.#ws.send(text, { binary: false });
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen()) return;
    const isKnown = isCloseCode(code);
    if (!isKnown) this.#parts.onFault(new RangeError(`${code} is no close code; use 1000 to 1014 or 3000 to 4999`));
    this.#closeCode = isKnown ? code : CLOSE.fault;
    const room = new Uint8Array(MAX_REASON_BYTES);
    const { written } = encoder.encodeInto(reason, room);
    this.#ws.close(this.#closeCode, Buffer.from(room.subarray(0, written)));
  }

  /** Without a farewell: for a peer that is gone, and for the end of a drain. */
  cut(): void {
    this.#closeCode ??= CLOSE.abnormal;
    this.#ws.terminate();
  }

  /** Takes no more texts, waits for what is under way, and says goodbye. */
  drain(): void {
    this.#isDraining = true;
    if (this.#underWay === 0) this.close(CLOSE.goingAway, 'Signalbox is about to stop; connect again after its start');
  }

  /** Once per ping interval: a peer that gave no sign of life since the last beat is gone. */
  beat(): void {
    if (this.#ws.isPaused || !this.#isOpen()) return;
    const { messageTimeoutMs } = this.#parts.limits;
    if (!this.#wasHeard) this.cut();
    else if (this.#unfinishedBytes > 0 && this.#parts.nowMs() - this.#unfinishedSinceMs > messageTimeoutMs) {
      this.#expel('a message took too long to arrive; send it in one go');
    } else {
      this.#wasHeard = false;
      this.#ws.ping();
    }
  }

  #isOpen(): boolean {
    return this.#closeCode === undefined && this.#ws.readyState === WebSocket.OPEN;
  }

  #onBytes = (chunk: Buffer): void => {
    this.#wasHeard = true;
    if (this.#unfinishedBytes === 0) this.#unfinishedSinceMs = this.#parts.nowMs();
    this.#unfinishedBytes += chunk.length;
    this.#parts.onUnfinished(chunk.length);
  };

  #settle(bytes: number): void {
    const settled = Math.min(bytes, this.#unfinishedBytes);
    this.#unfinishedBytes -= settled;
    this.#parts.onUnfinished(-settled);
  }

  #stopCounting(): void {
    this.#raw.off('data', this.#onBytes);
    this.#settle(this.#unfinishedBytes);
  }

  #onControl(payload: Buffer): boolean {
    this.#settle(payload.length + CONTROL_FRAME_BYTES);
    if (!this.#isOpen()) return false;
    if (this.#takeToken()) return true;
    this.#expel('too many frames at once; send fewer');
    return false;
  }

  // The library would answer every ping, even for a client that reads none of the answers.
  #onPing = (payload: Buffer): void => {
    const isWelcome = this.#onControl(payload);
    if (isWelcome && this.#ws.bufferedAmount <= this.#parts.limits.maxBufferedBytes) this.#ws.pong(payload);
  };

  #onMessage = (bytes: Buffer, isBinary: boolean): void => {
    this.#settle(this.#unfinishedBytes);
    const handler = this.#handler;
    if (handler === undefined || this.#isDraining || !this.#isOpen()) return;
    this.messagesIn += 1;
    this.#parts.tally.messagesIn += 1;
    if (isBinary) this.close(CLOSE.notText, 'only text is understood here; send JSON as text');
    else if (!this.#takeToken()) this.#expel('too many messages at once; send fewer');
    else this.#hand(handler, bytes);
  };

  #hand(handler: SocketHandler, bytes: Buffer): void {
    try {
      const taken = 'onUtf8' in handler ? handler.onUtf8(bytes) : handler.onText(bytes.toString('utf8'));
      if (taken instanceof Promise) this.#await(taken);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  #await(taken: Promise<void>): void {
    this.#underWay += 1;
    if (this.#underWay >= this.#parts.limits.maxUnderWay) this.#ws.pause();
    void taken.catch((fault: unknown) => this.#fail(fault)).then(() => this.#onDone());
  }

  #onDone(): void {
    this.#underWay -= 1;
    if (this.#closeCode === undefined && this.#ws.isPaused) {
      // While reading was paused no pong could come in, so its absence must not count as silence of the client.
      this.#wasHeard = true;
      this.#ws.resume();
    }
    if (this.#isDraining) this.drain();
  }

  #takeToken(): boolean {
    const { messageBurst, messagesPerSecond } = this.#parts.limits;
    const atMs = this.#parts.nowMs();
    const refill = (Math.max(0, atMs - this.#tokensAtMs) * messagesPerSecond) / 1000;
    this.#tokens = Math.min(messageBurst, this.#tokens + refill);
    this.#tokensAtMs = atMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Says why, reads not one byte more, and leaves the rest to the close timer. */
  #expel(reason: string): void {
    this.close(CLOSE.tooMuch, reason);
    this.#ws.pause();
  }

  #fail(fault: unknown): void {
    this.#parts.onFault(fault);
    this.close(CLOSE.fault, 'something failed here; try again, and look in the log');
  }

  #onClosed = (code: number): void => {
    this.#stopCounting();
    const handler = this.#handler;
    this.#handler = undefined;
    try {
      handler?.onClose();
    } catch (fault) {
      this.#parts.onFault(fault);
    }
    this.#parts.onClosed(this.#closeCode ?? code);
  };
}

/** Those a program may send: the numbers in between stand for what was never on the wire. */
const isCloseCode = (code: number): boolean =>
  Number.isInteger(code) &&
  ((code >= 1000 && code <= 1014 && !(code >= 1004 && code <= 1006)) || (code >= 3000 && code <= 4999));
