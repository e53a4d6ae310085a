// Trades that one switch stopped between their two orders: it is turned again when each of them has come as far, or has ended
// otherwise. They run beside each other, as they did then.

import type { HalfWay } from './gate-order.ts';

export class StoppedTogether {
  readonly requestIds: readonly string[];
  readonly #ahead: Set<string>;
  readonly #turn: () => Promise<void>;
  readonly #allHere: Promise<void>;
  #arrive: () => void = () => {};
  #turned: Promise<void> | undefined;

  constructor({ stopped }: HalfWay, turn: () => Promise<void>) {
    this.requestIds = stopped.map(({ requestId }) => requestId);
    this.#ahead = new Set(this.requestIds);
    this.#turn = turn;
    this.#allHere = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  /** Between its two orders. Resolves when the switch is turned. */
  async isHalfWay(requestId: string): Promise<void> {
    this.hasEnded(requestId);
    await this.#allHere;
    this.#turned ??= this.#turn();
    await this.#turned;
  }

  hasEnded(requestId: string): void {
    this.#ahead.delete(requestId);
    if (this.#ahead.size === 0) this.#arrive();
  }
}
