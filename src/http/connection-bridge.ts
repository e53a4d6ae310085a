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
  readonly stalledAtMostMs?: number;
  /** Nobody has taken a connection there. */
  readonly onNotTaken?: (target: BridgeTarget, why: string) => void;
}

/** Who says nothing for so long after he has connected is none of our clients; the same as for the head of a request. */
const SILENT_AT_MOST_MS = 10_000;
/** A process that is well takes a connection in a few milliseconds; one that is stopped never does. */
const TAKEN_WITHIN_MS = 5000;
/** A client that takes nothing of what waits for him for so long is gone, or wants to fill our memory; the same as at the owner. */
const STALLED_AT_MOST_MS = 30_000;
/** No answer to our one question is so long. */
const MOST_ANSWER_BYTES = 4096;
const LOOK_EVERY_MS = 50;
/** Behind an answer, before its connection is taken for idle: nobody here knows whether it has come to its end. */
const QUIET_MS = 1000;

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

  /** Until whatever the clients have asked is answered and silent for a while, or the time is over. */
  async stop(drainMs: number): Promise<void> {
    const endMs = performance.now() + drainMs;
    while (this.#bridged.size > 0 && performance.now() < endMs) {
      for (const bridged of this.#bridged) bridged.letGo();
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
  #isUnanswered = false;
  /** In a stop. */
  #isLetGo = false;
  #bytes = 0;
  #quietSinceMs = 0;

  constructor(client: Socket, parts: BridgedParts) {
    this.#client = client;
    this.#parts = parts;
    this.#timer = setTimeout(() => this.end(), parts.silentAtMostMs ?? SILENT_AT_MOST_MS);
    client.on('error', this.#onClientError);
    client.on('close', this.#onClientClose);
    client.on('data', this.#onFirst);
    client.on('end', this.#onEarlyEnd);
  }

  turn(): void {
    if (this.#isTaken) this.#break();
    else if (this.#other !== undefined) this.#ask();
  }

  end(): void {
    this.#client.destroy();
    this.#other?.destroy();
  }

  /** Nothing more is read of a client who is answered: what he says from now on reaches nobody, and his connection closes. */
  letGo(): void {
    this.#isLetGo = true;
    this.#readOn();
    const { bytesRead, bytesWritten, writableLength } = this.#client;
    const bytes = bytesRead + bytesWritten + (this.#other?.bytesRead ?? 0);
    const nowMs = performance.now();
    if (bytes !== this.#bytes || this.#isUnanswered || writableLength > 0 || this.#quietSinceMs === 0) {
      this.#bytes = bytes;
      this.#quietSinceMs = nowMs;
    } else if (nowMs - this.#quietSinceMs >= QUIET_MS) this.end();
  }

  readonly #onClientError = (): void => {
    if (this.#other) breakOff(this.#other);
  };

  readonly #onClientClose = (): void => {
    if (this.#isTaken) this.#other?.destroySoon();
    else this.#askNobody();
    this.#parts.onOver();
  };

  /** Nothing that could be answered has been said. */
  readonly #onEarlyEnd = (): void => this.end();

  readonly #onFirst = (bytes: Buffer): void => {
    this.#first = Buffer.concat([this.#first, bytes]);
    const isFellow = asksInFirstBytes(this.#first);
    if (isFellow === undefined) return;
    this.#isUnanswered = true;
    clearTimeout(this.#timer);
    this.#client.off('data', this.#onFirst).off('end', this.#onEarlyEnd);
    this.#client.pause();
    // What is there to read keeps back the word that nothing more comes.
    this.#client.unshift(this.#first);
    if (isFellow) this.#giveBack();
    else this.#ask();
  };

  #ask(): void {
    this.#askNobody();
    const to = this.#parts.target();
    if (to === undefined) {
      this.#giveBack();
      return;
    }
    const peer = this.#client.remoteAddress;
    // From where it came is not known any more: handed on it would look as if it came from this process.
    if (peer === undefined) {
      this.end();
      return;
    }
    const other = connect({ ...to, noDelay: true });
    this.#other = other;
    let answer = Buffer.alloc(0);
    const fail = (error: Error): void => {
      this.#parts.onNotTaken?.(to, error.message);
      this.#giveBack();
    };
    const onAnswer = (bytes: Buffer): void => {
      answer = Buffer.concat([answer, bytes]);
      const end = answer.indexOf(HEAD_END);
      if (end < 0 && answer.length < MOST_ANSWER_BYTES) return;
      if (end < 0 || !answer.toString('latin1').startsWith(TAKEN_STATUS)) {
        fail(new Error('it answers as somebody else would'));
        return;
      }
      this.#unheard();
      this.#carry(other, answer.subarray(end + HEAD_END.length));
    };
    const onEnd = (): void => fail(new Error('it closed the connection'));
    other.on('data', onAnswer).on('error', fail).on('end', onEnd);
    this.#unheard = () => void other.off('data', onAnswer).off('error', fail).off('end', onEnd);
    const takenWithinMs = this.#parts.takenWithinMs ?? TAKEN_WITHIN_MS;
    this.#timer = setTimeout(() => fail(new Error(`no answer within ${takenWithinMs} ms`)), takenWithinMs);
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
    client.setTimeout(this.#parts.stalledAtMostMs ?? STALLED_AT_MOST_MS);
    client.on('timeout', () => {
      if (client.writableLength > 0) this.#break();
    });
    client.on('data', () => {
      this.#isUnanswered = true;
    });
    other.on('data', () => {
      this.#isUnanswered = false;
      this.#readOn();
    });
    // What it has said before still reaches the client. A reset would overtake that, and whoever refuses a long request in words
    // and closes is a reset to us.
    other.on('error', () => {});
    other.on('close', () => client.destroySoon());
    carryLate(client, other, () => this.#readOn());
    other.pipe(client);
  }

  /** Unless he waits for nothing and is let go. */
  #readOn(): void {
    if (!this.#isTaken) return;
    if (this.#isLetGo && !this.#isUnanswered) this.#client.pause();
    else if (this.#other?.writableNeedDrain !== true) this.#client.resume();
  }

  /** What was carried may have been traded: the client learns what he would learn of a process that died, and no more. */
  #break(): void {
    breakOff(this.#client);
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
    this.#parts.serveHere();
    process.nextTick(() => client.resume());
  }
}

/** Without waiting for whoever takes nothing; and Node would lose a socket that is reset while it is being ended. */
function breakOff(socket: Socket): void {
  if (socket.writableLength > 0 || (socket.writableEnded && !socket.writableFinished)) socket.destroy();
  else socket.resetAndDestroy();
}

/**
 * Writes behind all that is being read in this turn. Whoever refuses before he has read everything answers and closes, and a write to
 * him would fail before his answer is read.
 */
function carryLate(from: Socket, to: Socket, readOn: () => void): void {
  let pieces: Buffer[] = [];
  let isEnded = false;
  const write = (): void => {
    const all = pieces;
    pieces = [];
    if (all.length > 0 && !to.write(Buffer.concat(all))) from.pause();
    if (isEnded) to.end();
  };
  from.on('data', (piece: Buffer) => {
    if (pieces.push(piece) === 1) setImmediate(write);
  });
  from.on('end', () => {
    isEnded = true;
    setImmediate(write);
  });
  to.on('drain', readOn);
  from.resume();
}
