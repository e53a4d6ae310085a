// Every open WebSocket of the process: how many there may be, whose turn it is for a ping, and the end of them all.
import { isLoopbackAddress } from './client-address.ts';
import type { OpenSocket } from './open-socket.ts';
import type { SocketErrorCode } from './socket-handshake.ts';

export interface RegistryLimits {
  readonly maxSockets: number;
  readonly maxSocketsPerAddress: number;
  /** All half-sent texts together: what clients send must not fill the memory by never ending. */
  readonly maxUnfinishedBytes: number;
  readonly pingIntervalMs: number;
}

/** Pings go out to a slice of the sockets at a time: thousands at once would hold up a trade. */
const SLICES = 30;

export class SocketRegistry {
  readonly #limits: RegistryLimits;
  readonly #open = new Set<OpenSocket>();
  readonly #perAddress = new Map<string, number>();
  readonly #slices = Array.from({ length: SLICES }, () => new Set<OpenSocket>());
  /** From the first socket on. */
  #beats: NodeJS.Timeout | undefined;
  #unfinishedBytes = 0;
  #opened = 0;
  #beaten = 0;
  #onEmpty = (): void => {};

  constructor(limits: RegistryLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  roomFault(address: string): SocketErrorCode | undefined {
    if (this.#open.size >= this.#limits.maxSockets) return 'SOCKETS_FULL';
    // Behind a proxy on this machine that nobody declared, all the world has this one address.
    if (isLoopbackAddress(address)) return undefined;
    return (this.#perAddress.get(address) ?? 0) >= this.#limits.maxSocketsPerAddress ? 'TOO_MANY_SOCKETS' : undefined;
  }

  /** Returns the way out. */
  enter(socket: OpenSocket, address: string): () => void {
    this.#beats ??= setInterval(() => this.#beat(), this.#limits.pingIntervalMs / SLICES).unref();
    const slice = this.#slices[this.#opened % SLICES];
    this.#opened += 1;
    this.#open.add(socket);
    slice?.add(socket);
    this.#countAddress(address, 1);
    return () => {
      this.#open.delete(socket);
      slice?.delete(socket);
      this.#countAddress(address, -1);
      if (this.#open.size === 0) this.#onEmpty();
    };
  }

  onUnfinished(bytes: number): void {
    this.#unfinishedBytes += bytes;
    if (bytes <= 0 || this.#unfinishedBytes <= this.#limits.maxUnfinishedBytes) return;
    // Whoever holds the most has to go, so that a flood of half texts does not push out the small ones.
    let largest: OpenSocket | undefined;
    for (const socket of this.#open) {
      if (socket.unfinishedBytes > (largest?.unfinishedBytes ?? 0)) largest = socket;
    }
    largest?.cut();
  }

  drain(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cutOff = setTimeout(() => {
        for (const socket of this.#open) socket.cut();
      }, timeoutMs);
      this.#onEmpty = () => {
        clearInterval(this.#beats);
        clearTimeout(cutOff);
        resolve();
      };
      for (const socket of this.#open) socket.drain();
      if (this.#open.size === 0) this.#onEmpty();
    });
  }

  #beat(): void {
    this.#beaten += 1;
    for (const socket of this.#slices[this.#beaten % SLICES] ?? []) socket.beat();
  }

  #countAddress(address: string, by: 1 | -1): void {
    const count = (this.#perAddress.get(address) ?? 0) + by;
    if (count > 0) this.#perAddress.set(address, count);
    else this.#perAddress.delete(address);
  }
}
