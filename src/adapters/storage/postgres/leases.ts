// Leases as rows of PostgreSQL. Whether one is free is decided by the clock of the database alone; a holder counts its own time
// from before it sent a renewal, so that it always believes to have less of it than the database gives.
//
// Every claim and every release is told to all processes, and those who wait try again at once. Where such a word is lost,
// they try again after a short while.

import { backgroundTimers } from '../../../timing/timers.ts';
import {
  LATE_AT_MOST_MS,
  LEASE_MS,
  type Lease,
  type LeaseClaim,
  type LeaseHolder,
  type Leases,
  type LeaseTerms,
} from '../../../trading/leases.ts';
import type { Row, SqlValue } from '../sql/sql.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { HeldLease, type HeldLeaseParts, type Moment } from './held-lease.ts';
import { lookInto } from './look-into.ts';
import { preparePostgres } from './open-postgres.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { postgresFault } from './postgres-faults.ts';
import { SCHEMAS } from './schemas.ts';
import { Statements } from './statements.ts';

const IS_THERE = 'SELECT to_regclass(CAST(? AS TEXT)) IS NOT NULL AS "isThere"';
const CHANNEL = 'sb_leases';
/** After a claim that failed, and where a write of the old holder still has the row. */
const TRY_AGAIN_MS = 250;
const LOOK_EVERY_MS = 1000;
const LATE =
  `the lease was not renewed within ${LEASE_MS / 1000} s; no order leaves until PostgreSQL says that nobody else has claimed it, ` +
  `and where that takes ${LATE_AT_MOST_MS / 1000} s longer this process ends`;
/** A question that takes longer is asked again over another connection, before the lease runs out. */
const STATEMENT_MS = 1000;

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
/** By the time of day too: a server that has lost the last claim, as a replica may in a failover, gives no token a second time. */
const NEXT_TOKEN = `GREATEST(token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint))`;
const MAKE = `INSERT INTO leases (name, address, token, until, released) VALUES (?, '', 0, clock_timestamp(), true)
  ON CONFLICT (name) DO NOTHING`;
/**
 * A row in which a write of the old holder is under way is skipped: that one is whole before anybody else has the lease. One that
 * ends later than any lease is older than a clock that was set back: from now on it lasts as long as a lease does, and its holder,
 * which counts by its own clock, has no more.
 */
const CLAIM = `WITH free AS (
    SELECT name, released FROM leases WHERE name = ?1 AND (released OR until < clock_timestamp()) FOR UPDATE SKIP LOCKED),
  taken AS (
    UPDATE leases SET address = ?2, token = ${NEXT_TOKEN}, until = ${UNTIL}, released = false
    FROM free WHERE leases.name = free.name RETURNING token, free.released AS "wasReleased"),
  set_back AS (
    UPDATE leases SET until = ${UNTIL} WHERE name = ?1 AND NOT released AND until > ${UNTIL})
  SELECT token, "wasReleased", pg_notify('${CHANNEL}', CAST(?1 AS text)) FROM taken`;
/** Also when its time is over, as long as nobody else has claimed it: a claim changes the token, and of the two one is first. */
const RENEW = `UPDATE leases SET until = ${UNTIL} WHERE name = ? AND token = ? AND NOT released RETURNING token`;
const RELEASE = `WITH freed AS (UPDATE leases SET released = true WHERE name = ? AND token = ? RETURNING name)
  SELECT pg_notify('${CHANNEL}', name) FROM freed`;
/** Free, and as it was found: its last holder has not given it back. */
const LEAVE = `WITH left_behind AS (
    UPDATE leases SET until = clock_timestamp() WHERE name = ? AND token = ? AND NOT released RETURNING name)
  SELECT pg_notify('${CHANNEL}', name) FROM left_behind`;
const TELL = `INSERT INTO desk_terms (name, token, terms)
  SELECT name, token, CAST(?3 AS text) FROM leases WHERE name = ?1 AND token = ?2 AND NOT released
  ON CONFLICT (name) DO UPDATE SET token = excluded.token, terms = excluded.terms`;
const TOLD = 'SELECT token, terms FROM desk_terms WHERE name = ?';
/** Who has a lease, for whoever only looks. */
export const HOLDER = `SELECT address, token FROM leases WHERE name = ? AND NOT released AND until >= clock_timestamp()`;

export async function openLeases(options: {
  readonly url: string;
  readonly schema?: string;
  /** A lease cannot be asked for; it is tried again. */
  readonly onTrouble: (error: Error) => void;
}): Promise<Leases> {
  const { url, schema = SCHEMAS.trading.schema, onTrouble } = options;
  const prepare = async () => void (await preparePostgres({ url, schema, migrations: SCHEMAS.trading.migrations }));
  // Where the table is there, nothing else is touched: whoever stands by must not change the tables of the one that trades.
  if ((await lookInto(url, schema, (reads) => reads.get(IS_THERE, `${schema}.leases`)))?.isThere !== 1) await prepare();
  const shared = { address: readPostgresAddress(url), schema, statements: new Statements() };
  const connection = { ...shared, statementTimeoutMs: STATEMENT_MS, lockTimeoutMs: STATEMENT_MS };
  return new PostgresLeases({ connection, onTrouble, prepare });
}

const now = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

type Ask = (text: string, ...values: readonly SqlValue[]) => Promise<readonly Row[]>;

interface LeasesParts {
  readonly connection: ConnectionOptions;
  readonly onTrouble: (error: Error) => void;
  /** Makes the tables that are not there. */
  readonly prepare: () => Promise<void>;
}

class PostgresLeases implements Leases {
  readonly #options: ConnectionOptions;
  readonly #onTrouble: (error: Error) => void;
  readonly #prepare: () => Promise<void>;
  readonly #closing = new AbortController();
  #connection: Promise<Connection> | undefined;
  /** How many words were heard. */
  #words = 0;
  /** Ends the pauses of those who wait for a word. */
  readonly #paused = new Set<() => void>();

  constructor({ connection, onTrouble, prepare }: LeasesParts) {
    this.#options = connection;
    this.#onTrouble = onTrouble;
    this.#prepare = prepare;
  }

  async claim(name: string, { address, stop }: LeaseClaim): Promise<Lease | undefined> {
    const isOver = AbortSignal.any([stop, this.#closing.signal]);
    while (!isOver.aborted) {
      const words = this.#words;
      const lease = await this.#claimed(name, address);
      if (lease === undefined) await this.#pause(TRY_AGAIN_MS, words, isOver);
      else if (!isOver.aborted) return lease;
      else await lease.giveBack();
    }
    return undefined;
  }

  watch(name: string, listener: (holder: LeaseHolder | undefined) => void): () => void {
    const stop = new AbortController();
    void this.#follow(name, listener, AbortSignal.any([stop.signal, this.#closing.signal]));
    return () => stop.abort();
  }

  async holder(name: string): Promise<LeaseHolder | undefined> {
    return holderIn(await this.#ask(HOLDER, name));
  }

  async tell({ name, token }: Pick<Lease, 'name' | 'token'>, terms: string): Promise<void> {
    // The holder of the lease may change tables, and its version is the one that counts from now on.
    if (!(await this.#hasTerms())) await this.#prepare();
    await this.#ask(TELL, name, token, terms);
  }

  async told(name: string): Promise<LeaseTerms | undefined> {
    if (!(await this.#hasTerms())) return undefined;
    const [row] = await this.#ask(TOLD, name);
    return row && { token: Number(row.token), text: String(row.terms) };
  }

  /** Not in a database that an older version has made. */
  async #hasTerms(): Promise<boolean> {
    return (await this.#ask(IS_THERE, `${this.#options.schema}.desk_terms`))[0]?.isThere === 1;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await (await this.#connection?.catch(() => undefined))?.close();
  }

  async #claimed(name: string, address: string): Promise<HeldLease | undefined> {
    const sentAt = now();
    try {
      const [taken] = await this.#ask(CLAIM, name, address);
      if (taken !== undefined)
        return this.#held({ name, token: Number(taken.token), wasReleased: taken.wasReleased === 1, sentAt });
      await this.#ask(MAKE, name);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#onTrouble(postgresFault(this.#options.address.where, error));
    }
    return undefined;
  }

  #held(claimed: Pick<HeldLeaseParts, 'name' | 'token' | 'wasReleased' | 'sentAt'>): HeldLease {
    const { name, token } = claimed;
    return new HeldLease({
      ...{ ...claimed, now, timers: backgroundTimers },
      renew: async () => (await this.#ask(RENEW, name, token)).length > 0,
      release: async () => void (await this.#ask(RELEASE, name, token)),
      leave: async () => void (await this.#ask(LEAVE, name, token)),
      onLate: () => this.#onTrouble(new Error(LATE)),
    });
  }

  async #follow(name: string, listener: (holder: LeaseHolder | undefined) => void, isOver: AbortSignal): Promise<void> {
    for (let told: string | undefined; !isOver.aborted; ) {
      const words = this.#words;
      // Where the database is away, whoever had the lease last may still have it.
      const rows = await this.#ask(HOLDER, name).catch(() => undefined);
      const text = JSON.stringify(rows);
      if (rows !== undefined && text !== told && !isOver.aborted) listener(holderIn(rows));
      told = text ?? told;
      await this.#pause(LOOK_EVERY_MS, words, isOver);
    }
  }

  /** A connection that has failed once is not trusted again: it might hear nothing. */
  readonly #ask: Ask = async (text, ...values) => {
    const connection = await this.#connected();
    try {
      return (await connection.ask(text, values)).rows;
    } catch (error) {
      connection.cut();
      throw postgresFault(this.#options.address.where, error);
    }
  };

  async #connected(): Promise<Connection> {
    const known = this.#connection;
    const connection = await known?.catch(() => undefined);
    if (connection !== undefined && connection.loss === undefined) return connection;
    // Of several who find it lost, the first opens another.
    if (this.#connection === known) this.#connection = this.#listening();
    return this.#connection as Promise<Connection>;
  }

  async #listening(): Promise<Connection> {
    if (this.#closing.signal.aborted) throw new Error('storage is closed');
    const connection = await Connection.open(this.#options);
    try {
      await connection.listen(CHANNEL, () => this.#heard());
      return connection;
    } catch (error) {
      connection.cut();
      throw error;
    }
  }

  #heard(): void {
    this.#words += 1;
    for (const end of this.#paused) end();
  }

  /** Until a word is heard beyond those that were known, or for a while. */
  #pause(atMostMs: number, known: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#paused.delete(end);
        stop.removeEventListener('abort', end);
        resolve();
      };
      const cancel = backgroundTimers.after(atMostMs, end);
      this.#paused.add(end);
      stop.addEventListener('abort', end);
      if (stop.aborted || this.#words !== known) end();
    });
  }
}

const holderIn = ([row]: readonly Row[]): LeaseHolder | undefined =>
  row && { address: String(row.address), token: Number(row.token) };
