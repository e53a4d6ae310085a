// Two processes over PostgreSQL and Redis, behind a load balancer: one owns the desk, the other stands by and passes on. Each of them
// is under a service manager and reaches both servers through a proxy of its own.

import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyToSqliteFolder } from '../../../src/composition/instance-copies.ts';
import { type MovedClock, prepareMovedClock } from '../moved-clock/index.ts';
import type { Finding } from '../nothing-lost.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { freshDataDir } from '../process.ts';
import type { Random } from '../random.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import type { TimedSignal } from '../senders.ts';
import { ClockHistory, jump } from './clock-history.ts';
import { compareJournal, countTrades } from './compare-journal.ts';
import { type CuttingProxy, openProxy } from './cutting-proxy.ts';
import type { Deployment, Fault, FormOptions } from './form.ts';
import { BALANCE, formSettings } from './form-settings.ts';
import { allDone } from './open-trades.ts';
import { put } from './put.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { whatPostgresDoes } from './what-it-does.ts';

const DATABASE = 'signalbox';
const INTERNAL_TOKEN = 't'.repeat(32);
const HEADERS = { authorization: `Bearer ${INTERNAL_TOKEN}` };
/** A lease lasts for four seconds: some of what is drawn is shorter, some longer. */
const LONGEST_MS = 7000;
/** Nobody waits longer than eight or nine for the answer of a commit: after such a pause its outcome is not clear. */
const UNCLEAR_MS = [9000, 12_000] as const;
const UNCLEAR_PERCENT = 33;
/** A take-over needs some seconds; on a machine whose cores are wanted thirty times over a lease is lost again and again. */
const SERVING_WITHIN_MS = 600_000;
/** What everybody does then is told, and the run goes on. */
const ODD_AFTER_MS = 60_000;
const ASKED_FOR_MS = 3000;
const OWNER = `SELECT address FROM trading.leases WHERE name = 'desk' AND NOT released AND until >= clock_timestamp()`;
const TAKE_LEASE = `WITH taken AS (UPDATE trading.leases SET until = clock_timestamp() WHERE name = 'desk' RETURNING name)
  SELECT pg_notify('sb_leases', name) FROM taken`;
/** Only the connections that keep a lease say this. */
const CUT_RENEWALS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND query ~ '^(UPDATE leases|WITH free|LISTEN|SELECT address, token)'`;
/** As long as a lease lasts: by then the old owner has ended. */
const TAKEN_FOR_MS = 4000;

/** A process with its ways to the servers. */
interface Member {
  readonly process: SupervisedProcess;
  readonly toPostgres: CuttingProxy;
  readonly toRedis: CuttingProxy;
  /** Of its machine; PostgreSQL has another one, which is right. */
  readonly clock: MovedClock;
}

export async function openPostgresForm(options: FormOptions): Promise<PostgresForm> {
  const server = await startPostgres();
  await server.query(`CREATE DATABASE ${DATABASE}`);
  const redis = await startRedis();
  const members: Member[] = [];
  const tell = (): void => options.onStart(members.flatMap(({ process }) => process.url ?? []));
  for (const _ of [1, 2]) members.push(await openMember(options, { server, redis, onStart: tell }));
  return new PostgresForm(options, { server, redis, members });
}

interface MemberParts {
  readonly server: PostgresServer;
  readonly redis: RedisServer;
  readonly onStart: () => void;
}

async function openMember(options: FormOptions, { server, redis, onStart }: MemberParts): Promise<Member> {
  const [toPostgres, toRedis] = [await openProxy(), await openProxy()];
  const clock = await prepareMovedClock(`${freshDataDir()}.clock`);
  toPostgres.leadTo([server.url]);
  toRedis.leadTo([redis.url]);
  const env = {
    ...formSettings(options),
    ...clock.env,
    DATABASE_URL: toPostgres.through(server.urlOf(DATABASE)),
    INTERNAL_TOKEN,
    RATE_LIMITS: 'redis',
    REDIS_URL: toRedis.through(redis.url),
    // So many that nobody is refused, but counted.
    WEBHOOK_RATE_PER_MINUTE: '1000000',
  };
  return { process: new SupervisedProcess({ env, onStart }), toPostgres, toRedis, clock };
}

interface Cluster {
  readonly server: PostgresServer;
  readonly redis: RedisServer;
  readonly members: readonly Member[];
}

export class PostgresForm implements Deployment {
  readonly dataDir = freshDataDir();
  readonly redis: RedisServer;
  readonly members: readonly Member[];
  readonly clocks: ClockHistory;
  /** Another one after a fail-over. */
  server: PostgresServer;
  readonly #options: FormOptions;
  #findings: Finding[] = [];

  constructor(options: FormOptions, { server, redis, members }: Cluster) {
    this.#options = options;
    this.server = server;
    this.redis = redis;
    this.members = members;
    this.clocks = new ClockHistory(members.map(({ clock }) => clock));
  }

  readonly faults: readonly Fault[] = [
    { name: 'owner killed', weight: 4, isOutage: true, strike: (random) => this.#killOwner(random) },
    { name: 'owner frozen', weight: 3, strike: (random) => this.#freezeOwner(random) },
    { name: 'clean hand-over', weight: 2, isOutage: true, strike: () => this.#handOver() },
    { name: 'lease taken away', weight: 2, strike: () => this.#takeLease() },
    { name: 'standby killed', weight: 2, strike: (random) => this.#killStandby(random) },
    { name: 'all killed, with PostgreSQL', weight: 1, isOutage: true, strike: (random) => this.#killAll(random) },
    { name: 'PostgreSQL killed', weight: 3, isOutage: true, strike: (random) => this.#killPostgres(random) },
    { name: 'PostgreSQL restarted', weight: 2, isOutage: true, strike: (random) => this.#restartPostgres(random) },
    { name: 'PostgreSQL paused', weight: 2, strike: (random) => this.#pausePostgres(random) },
    { name: 'PostgreSQL fail-over', weight: 2, isOutage: true, strike: (random) => this.#failOver(random) },
    { name: 'connections to PostgreSQL cut', weight: 3, strike: (random) => this.#cutPostgres(random) },
    { name: 'answers of PostgreSQL lost', weight: 3, strike: (random) => this.#loseAnswers(random) },
    { name: 'long way to PostgreSQL', weight: 2, strike: (random) => this.#delayPostgres(random) },
    { name: 'clock jump', weight: 2, strike: async (random) => jump(this.clocks, this.#any(random).clock, random) },
    { name: 'Redis killed', weight: 1, strike: (random) => this.#killRedis(random) },
    { name: 'connections to Redis cut', weight: 1, strike: (random) => this.#cutRedis(random) },
  ];

  /** Both at once, over an empty database. */
  async start(): Promise<void> {
    for (const { process } of this.members) process.start();
    await this.#serving();
  }

  set(path: string, value: object, random: Random): Promise<boolean> {
    return put(`${this.#any(random).process.url}${path}`, value, HEADERS);
  }

  heal(): void {
    for (const { toPostgres, clock } of this.members) {
      toPostgres.delay(0);
      this.clocks.move(clock, 0);
    }
  }

  takeFindings(): Finding[] {
    return [...this.#findings.splice(0), ...this.members.flatMap(({ process }) => process.takeFindings())];
  }

  comeToRest(): Promise<void> {
    return allDone(async (query) => {
      for (const { process } of this.members) {
        const answer = await ask(process, `/trades?${query}`);
        if (answer?.ok) return answer;
      }
      return undefined;
    });
  }

  async end(sent: readonly TimedSignal[]): Promise<Finding[]> {
    const owner = await this.#owner();
    for (const member of [...this.members.filter((each) => each !== owner), owner]) await member.process.end('stop');
    await copyToSqliteFolder({ url: this.server.urlOf(DATABASE), folder: this.dataDir, withTwins: false });
    return [
      ...this.takeFindings(),
      ...compareJournal(this.dataDir, sent, { live: this.#options.live, balance: BALANCE }),
    ];
  }

  count(): { readonly trades: number; readonly filled: number } {
    return countTrades(this.dataDir);
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map(({ process }) => process.end('die')));
    for (const { toPostgres, toRedis, clock } of this.members) {
      await Promise.all([toPostgres.close(), toRedis.close()]);
      clock.close();
    }
    await this.server.end();
    await this.redis.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #killOwner(random: Random): Promise<string> {
    const awayMs = random.between(0, LONGEST_MS);
    await sleep(random.between(0, 8));
    await (await this.#owner()).process.kill(awayMs);
    await this.#serving();
    return `owner killed, and away for ${awayMs} ms`;
  }

  async #freezeOwner(random: Random): Promise<string> {
    const ms = random.between(500, 8000);
    await (await this.#owner()).process.freeze(ms);
    await this.#serving();
    return `owner frozen for ${ms} ms`;
  }

  async #handOver(): Promise<string> {
    await (await this.#owner()).process.stop();
    await this.#serving();
    return 'owner stopped in order';
  }

  /**
   * The owner cannot renew its lease, but its other connections hold; and the clock of the database jumps ahead, so that the standby has
   * the lease at once. The old owner trades on by its own clock, and the fence alone keeps it from writing.
   */
  async #takeLease(): Promise<string> {
    const { toPostgres } = await this.#owner();
    toPostgres.leadTo([]);
    for (const statement of [CUT_RENEWALS, TAKE_LEASE]) await this.server.query(statement, this.server.urlOf(DATABASE));
    await sleep(TAKEN_FOR_MS);
    toPostgres.leadTo([this.server.url]);
    await this.#serving();
    return 'the lease runs out at once by the clock of the database, and its owner does not hear of it';
  }

  async #killStandby(random: Random): Promise<string> {
    const owner = await this.#owner();
    for (const member of this.members) if (member !== owner) await member.process.kill(random.between(0, 1000));
    return 'standby killed';
  }

  async #killAll(random: Random): Promise<string> {
    await Promise.all([
      this.server.kill(),
      ...this.members.map(({ process }) => process.kill(random.between(0, 1000))),
    ]);
    await this.server.restart();
    await this.#serving();
    return 'both processes and PostgreSQL killed';
  }

  async #killPostgres(random: Random): Promise<string> {
    const awayMs = random.of([0, 0, 500, LONGEST_MS]);
    await sleep(random.between(0, 8));
    await this.server.kill();
    await sleep(awayMs);
    await this.server.restart();
    await this.#serving();
    return `PostgreSQL killed, and away for ${awayMs} ms`;
  }

  async #restartPostgres(random: Random): Promise<string> {
    const awayMs = random.between(0, 2000);
    await this.server.stop();
    await sleep(awayMs);
    await this.server.restart();
    await this.#serving();
    return `PostgreSQL stopped in order, and away for ${awayMs} ms`;
  }

  async #pausePostgres(random: Random): Promise<string> {
    const ms = random.chance(UNCLEAR_PERCENT) ? random.between(...UNCLEAR_MS) : random.between(100, LONGEST_MS);
    this.server.pause();
    await sleep(ms);
    this.server.resume();
    await this.#serving();
    return `PostgreSQL paused for ${ms} ms`;
  }

  /** The replica is synchronous for a moment before: what was answered until the end is there. */
  async #failOver(random: Random): Promise<string> {
    const old = this.server;
    const replica = await old.startReplica();
    const ms = random.between(0, 1000);
    await sleep(ms);
    await old.kill();
    await replica.promote();
    this.server = replica;
    for (const { toPostgres } of this.members) toPostgres.leadTo([replica.url]);
    await old.end();
    await this.#serving();
    return `PostgreSQL killed after ${ms} ms with a synchronous replica, which has taken over`;
  }

  async #cutPostgres(random: Random): Promise<string> {
    const cut = this.#some(random).map(({ toPostgres }) => toPostgres.cut(random.between(20, 100), random));
    return `${cut.join(' and ')} connections to PostgreSQL cut`;
  }

  async #loseAnswers(random: Random): Promise<string> {
    const count = random.between(1, 5);
    for (const { toPostgres } of this.#some(random)) toPostgres.loseAnswers(count);
    return `${count} answers of PostgreSQL lost`;
  }

  /** What was sent meanwhile arrives all the same, late. */
  async #delayPostgres(random: Random): Promise<string> {
    const [delayMs, ms] = [random.of([5, 50, 500, 2000, 5000]), random.between(500, LONGEST_MS)];
    const far = this.#some(random);
    for (const { toPostgres } of far) toPostgres.delay(delayMs);
    await sleep(ms);
    for (const { toPostgres } of far) toPostgres.delay(0);
    await sleep(delayMs);
    await this.#serving();
    return `PostgreSQL ${delayMs} ms away from ${far.length} processes for ${ms} ms`;
  }

  async #killRedis(random: Random): Promise<string> {
    const awayMs = random.between(0, 2000);
    await this.redis.kill();
    await sleep(awayMs);
    await this.redis.restart();
    return `Redis killed, and away for ${awayMs} ms`;
  }

  async #cutRedis(random: Random): Promise<string> {
    const cut = this.#some(random).map(({ toRedis }) => toRedis.cut(100, random));
    return `${cut.join(' and ')} connections to Redis cut`;
  }

  #some(random: Random): readonly Member[] {
    return random.chance(40) ? this.members : [this.#any(random)];
  }

  #any(random: Random): Member {
    return random.of(this.members as [Member]);
  }

  /** Who has the lease; whoever comes first where nobody has it at this moment. */
  async #owner(): Promise<Member> {
    const [row] = await this.server.query(OWNER, this.server.urlOf(DATABASE));
    return this.members.find(({ process }) => process.url === row?.address) ?? (this.members[0] as Member);
  }

  /** Waits until somebody owns the desk and answers. */
  async #serving(): Promise<void> {
    const beganMs = performance.now();
    const isLonger = (ms: number): boolean => performance.now() - beganMs > ms;
    for (let isTold = false; !(await this.#isServing()); ) {
      if (isLonger(SERVING_WITHIN_MS)) throw new Error(await this.whyNobodyTrades());
      if (!isTold && isLonger(ODD_AFTER_MS)) {
        isTold = true;
        console.error(await this.whyNobodyTrades());
      }
      await sleep(50);
    }
  }

  /** What everybody does instead. */
  async whyNobodyTrades(): Promise<string> {
    const database = whatPostgresDoes(this.server, this.server.urlOf(DATABASE));
    const processes = this.members.map(({ process }) => process.whatItDoes());
    return ['nobody trades', ...(await Promise.all([database, ...processes]))].join('\n');
  }

  async #isServing(): Promise<boolean> {
    const answers = await Promise.all(this.members.map(({ process }) => ask(process, '/trades?limit=1')));
    return answers.some((answer) => answer?.ok);
  }
}

/** Undefined where no answer came. */
async function ask({ url }: SupervisedProcess, path: string): Promise<Response | undefined> {
  if (url === undefined) return undefined;
  const patience = AbortSignal.timeout(ASKED_FOR_MS);
  return fetch(`${url}${path}`, { headers: HEADERS, signal: patience }).catch(() => undefined);
}
