// Watches a run of chaos for positions that go on without the stop that was asked for while no alarm names them. What is looked at is the
// venues' own books; what the gateway says of itself is only which shares are to be guarded, and its warnings.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosAccounts } from './chaos-accounts.ts';
import { nakedIn } from './compare-stops.ts';
import type { KillableGateway } from './killable-gateway.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** In real time, between two looks. */
const LOOK_EVERY_MS = 250;
/**
 * So many looks in a row, of one process, must find a position naked: more than twice the ten seconds after which the gateway raises its
 * alarm, in fast time. Looks are counted, because a process that has no time for its own work answers none either.
 */
const MOST_LOOKS = 10;

export class NakedWatch {
  readonly #gateway: KillableGateway;
  readonly #accounts: ChaosAccounts;
  readonly #onFault: (fault: string) => void;
  /** How many looks in a row have found it, by side of a market. */
  readonly #found = new Map<string, number>();
  #isOver = false;
  #work: Promise<void> = Promise.resolve();

  constructor(gateway: KillableGateway, accounts: ChaosAccounts, onFault: (fault: string) => void) {
    this.#gateway = gateway;
    this.#accounts = accounts;
    this.#onFault = onFault;
  }

  start(): void {
    this.#work = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await this.#look();
      await sleep(LOOK_EVERY_MS);
    }
  }

  async #look(): Promise<void> {
    const [protections, positions, ready] = [
      await this.#gateway.ask('GET', '/protections'),
      await this.#gateway.ask('GET', '/positions'),
      await this.#gateway.ask('GET', '/ready'),
    ];
    if (protections === undefined || positions === undefined || ready === undefined) return this.#found.clear();
    const guarded = { protections: protections.body.result as Rows, positions: positions.body.result as Rows };
    const warnings = (ready.body.warnings ?? []) as readonly string[];
    const naked = new Set(nakedIn(this.#accounts, guarded).filter((where) => !isNamed(where, warnings)));
    for (const where of this.#found.keys()) if (!naked.has(where)) this.#found.delete(where);
    for (const where of naked) {
      const looks = (this.#found.get(where) ?? 0) + 1;
      this.#found.set(where, looks);
      if (looks === MOST_LOOKS)
        this.#onFault(`${where} has gone without its stop for ${MOST_LOOKS} looks, and no alarm names it`);
    }
  }
}

function isNamed(where: string, warnings: readonly string[]): boolean {
  const [account, symbol, side] = where.split(' ');
  return warnings.some(
    (warning) =>
      warning.startsWith(`${symbol} ${side} `) &&
      warning.includes(` on ${account} (`) &&
      warning.includes('has no stop'),
  );
}
