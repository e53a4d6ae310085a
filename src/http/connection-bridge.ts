// Hands connections on to another process of ours as bytes, which reads them as if they had come there: nothing of them is read here but
// whether the first ones ask for just that.
import { connect, type Socket } from 'node:net';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { asksInFirstBytes, handOnText } from './handed-on.ts';

export interface BridgeTarget {
  readonly host: string;
  readonly port: number;
}

export interface BridgeOptions {
  /** Asked for each connection, and again for one that was not taken when the target changes; undefined where there is nobody. */
  readonly target: () => BridgeTarget | undefined;
  readonly proof: string;
  readonly silentAtMostMs?: number;
  readonly takenWithinMs?: number;
}

/** Who says nothing for so long after he has connected is none of our clients; the same as for the head of a request. */
const SILENT_AT_MOST_MS = 10_000;
/** A process that is well takes a connection in a few milliseconds; one that is stopped never does. */
const TAKEN_WITHIN_MS = 5000;
/** No answer to our one question is so long. */
const MOST_ANSWER_BYTES = 4096;
const LOOK_EVERY_MS = 50;
/** Behind an answer, before its connection is taken for idle. */
const QUIET_MS = 250;

const HEAD_END = '\r\n\r\n';
const TAKEN_STATUS = 'HTTP/1.1 101 ';

export class ConnectionBridge {
  readonly #options: BridgeOptions;
  readonly #bridged = new Set<Bridged>();

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** `serveHere` gets the connection, with all its bytes, where it cannot be handed on. */
  take(client: Socket, serveHere: () => void): void {
    const onOver = (): void => void this.#bridged.delete(bridged);
    const bridged = new Bridged(client, { ...this.#options, serveHere, onOver });
    this.#bridged.add(bridged);
  }

  /** The other process is another one now: what it has not taken yet is asked for anew, and the rest will not be answered any more. */
  turn(): void {
    for (const bridged of this.#bridged) bridged.turn();
  }

  /** Until each is between two requests, or the time is over. */
  async stop(drainMs: number): Promise<void> {
    const endMs = performance.now() + drainMs;
    while (this.#bridged.size > 0 && performance.now() < endMs) {
      for (const bridged of this.#bridged) bridged.closeIfIdle();
      if (this.#bridged.size > 0) await wait(LOOK_EVERY_MS, { timers: foregroundTimers });
    }
    for (const bridged of this.#bridged) bridged.end();
  }
}

interface BridgedParts extends BridgeOptions {
  readonly serveHere: () => void;
  /** It is nothing of the bridge's any more. */
  readonly onOver: () => void;
}

/** One connection: silent at first, then asked for, then carried in both directions until either side ends it. */
class Bridged {
  readonly #client: Socket;
  readonly #parts: BridgedParts;
  #other: Socket | undefined;
  /** Nobody listens for its answer any more. */
  #unheard: () => void = () => {};
  #first = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isTaken = false;
  /** The client has said something, and nothing has come back since. */
  #isAsked = false;
  #bytes = 0;
  #quietSinceMs = 0;

  constructor(client: Socket, parts: BridgedParts) {
    this.#client = client;
    this.#parts = parts;
    this.#timer = setTimeout(() => this.end(), parts.silentAtMostMs ?? SILENT_AT_MOST_MS);
    client.on('error', this.#onClientError);
    client.on('close', this.#onClientClose);
    client.on('data', this.#onFirst);
  }

  turn(): void {
    if (this.#isTaken) this.#break();
    else if (this.#other !== undefined) this.#ask();
  }

  end(): void {
    this.#client.destroy();
    this.#other?.destroy();
  }

  closeIfIdle(): void {
    const bytes = this.#client.bytesRead + (this.#other?.bytesRead ?? 0);
    const nowMs = performance.now();
    if (bytes !== this.#bytes || this.#isAsked || this.#quietSinceMs === 0) {
      this.#bytes = bytes;
      this.#quietSinceMs = nowMs;
    } else if (nowMs - this.#quietSinceMs >= QUIET_MS) this.end();
  }

  readonly #onClientError = (): void => void this.#other?.resetAndDestroy();

  readonly #onClientClose = (): void => {
    clearTimeout(this.#timer);
    this.#other?.destroySoon();
    this.#parts.onOver();
  };

  readonly #onFirst = (bytes: Buffer): void => {
    this.#first = Buffer.concat([this.#first, bytes]);
    const isFellow = asksInFirstBytes(this.#first);
    if (isFellow === undefined) return;
    this.#isAsked = true;
    clearTimeout(this.#timer);
    this.#client.off('data', this.#onFirst);
    this.#client.pause();
    if (isFellow) this.#giveBack();
    else this.#ask();
  };

  #ask(): void {
    this.#askNobody();
    const to = this.#parts.target();
    const peer = this.#client.remoteAddress;
    // From where it came is not known any more: handed on it would look as if it came from this process.
    if (peer === undefined || to === undefined) {
      if (peer === undefined) this.end();
      else this.#giveBack();
      return;
    }
    const other = connect({ ...to, noDelay: true, allowHalfOpen: true });
    this.#other = other;
    let answer = Buffer.alloc(0);
    const fail = (): void => this.#giveBack();
    const onAnswer = (bytes: Buffer): void => {
      answer = Buffer.concat([answer, bytes]);
      const end = answer.indexOf(HEAD_END);
      if (end < 0 && answer.length < MOST_ANSWER_BYTES) return;
      if (end < 0 || !answer.toString('latin1').startsWith(TAKEN_STATUS)) {
        fail();
        return;
      }
      this.#unheard();
      this.#carry(other, answer.subarray(end + HEAD_END.length));
    };
    other.on('data', onAnswer).on('error', fail).on('end', fail);
    this.#unheard = () => void other.off('data', onAnswer).off('error', fail).off('end', fail);
    this.#timer = setTimeout(fail, this.#parts.takenWithinMs ?? TAKEN_WITHIN_MS);
    other.write(handOnText(`${to.host}:${to.port}`, peer, this.#parts.proof));
  }

  /** Whoever was asked before is not waited for any more. */
  #askNobody(): void {
    clearTimeout(this.#timer);
    this.#unheard();
    this.#other?.on('error', () => {}).destroy();
    this.#other = undefined;
  }

  #carry(other: Socket, already: Buffer): void {
    const client = this.#client;
    clearTimeout(this.#timer);
    this.#isTaken = true;
    if (already.length > 0) client.write(already);
    other.write(this.#first);
    this.#first = Buffer.alloc(0);
    client.on('data', () => {
      this.#isAsked = true;
    });
    other.on('data', () => {
      this.#isAsked = false;
    });
    other.on('error', () => void client.resetAndDestroy());
    // All that can still reach the client is in its buffer.
    other.on('close', () => client.destroySoon());
    client.pipe(other);
    other.pipe(client);
  }

  /** What was carried may have been traded: the client learns what he would learn of a process that died, and no more. */
  #break(): void {
    this.#client.resetAndDestroy();
    this.#other?.destroy();
  }

  /** Nothing of it has reached anybody yet. */
  #giveBack(): void {
    const client = this.#client;
    this.#askNobody();
    this.#parts.onOver();
    client.off('error', this.#onClientError);
    client.off('close', this.#onClientClose);
    if (client.destroyed) return;
    client.unshift(this.#first);
    this.#parts.serveHere();
    process.nextTick(() => client.resume());
  }
}
