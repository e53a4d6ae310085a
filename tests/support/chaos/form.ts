// What the harness needs of a form of Signalbox that it puts under load: where signals go, what can go wrong with it, and what its
// journal says in the end. One process over SQLite is a form (sqlite-form.ts), two over PostgreSQL and Redis another (postgres-form.ts).

import type { Finding } from '../nothing-lost.ts';
import type { Random } from '../random.ts';
import type { TimedSignal } from '../senders.ts';
import type { ClockHistory } from './clock-history.ts';

export type QueueMode = 'direct' | 'async' | 'failover';

/** Something that goes wrong, by its name in the table. */
export interface Fault {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  /** Whether senders wait for the end of it; the others go on sending meanwhile. */
  readonly isOutage?: boolean;
  /** Does it and says in words what was done; what lasts is ended here too, or by `heal`. */
  strike(random: Random): Promise<string>;
}

export interface FormOptions {
  readonly mode: QueueMode;
  readonly apiKeys: readonly string[];
  /** Accounts besides main, of every exchange on paper. */
  readonly accounts: readonly string[];
  /** Settings of real venues, which are emulated. */
  readonly settings: Readonly<Record<string, string>>;
  /** Exchanges that are not on paper. */
  readonly live: readonly string[];
  /** Told after each start where signals may go: any of them takes them. */
  readonly onStart: (urls: readonly string[]) => void;
}

export interface Deployment {
  readonly faults: readonly Fault[];
  readonly clocks: ClockHistory;
  start(): Promise<void>;
  /** Sets something over the owner's interface, at any of its processes. Whether it was answered that it is done. */
  set(path: string, value: object, random: Random): Promise<boolean>;
  /** Ends everything that lasts. */
  heal(): void;
  /** Everything that went wrong by itself since the last call: a process that ended, one that did not start. */
  takeFindings(): Finding[];
  /** Waits until every trade has its outcome. */
  comeToRest(): Promise<void>;
  /** Ends it in order, and compares what senders were told with what it has written. */
  end(sent: readonly TimedSignal[]): Promise<Finding[]>;
  /** How many trades are in the journal, and how many of them filled; after `end`. */
  count(): { readonly trades: number; readonly filled: number };
  /** For the comparison with real venues; after `end`. */
  readonly dataDir: string;
  close(): Promise<void>;
}

export type OpenForm = (options: FormOptions) => Promise<Deployment>;
