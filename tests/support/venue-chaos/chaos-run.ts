// One run of chaos: random signals to every venue while answers are lost, streams are cut and the process is killed; then quiet,
// and a comparison of what was written with what the venues know.
//
// The seed decides the signals, the faults and the kills. How they meet is up to the machine, so a seed that has failed may
// have to be run a few times.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../../src/exchanges/exchange.ts';
import { type DiskFaults, prepareDiskFaults } from '../disk-faults/index.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import { LIVE_VENUES, type LiveVenueRow, WEBHOOK_KEY } from '../live-gateway.ts';
import { Random } from '../random.ts';
import { AIMS, type Aim, arrivedOrders, planAim } from './aimed-faults.ts';
import { compareBooks, type SentSignal } from './compare-books.ts';
import { stopFaults } from './compare-stops.ts';
import { fastClock } from './fast-clock.ts';
import { watchFlips } from './flips.ts';
import { KillableGateway } from './killable-gateway.ts';
import { disturbVenue, healVenue, planFault } from './random-faults.ts';

export interface ChaosReport {
  readonly faults: readonly string[];
  readonly kills: number;
  readonly signals: number;
  /** How many orders the venues' stops have sent. */
  readonly actedStops: number;
  /** How many trades ended how. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What was done, step by step. */
  readonly story: readonly string[];
}

interface ChaosMarket {
  readonly symbol: string;
  readonly price: number;
  readonly unit: number;
  /** Of a price, behind the point. */
  readonly digits: number;
}

/** Markets, their price, and an amount that every venue takes. */
const MARKETS: readonly [ChaosMarket, ...ChaosMarket[]] = [
  { symbol: 'BTCUSDT', price: 50_000, unit: 0.003, digits: 1 },
  { symbol: 'ETHUSDT', price: 3_000, unit: 0.01, digits: 2 },
];
const SETTINGS = {
  WEBHOOK_RATE_PER_MINUTE: '0',
  SIGNAL_MAX_AGE_S: '3600',
  DRAIN_TIMEOUT_S: '0',
  LOG_LEVEL: 'error',
};
const MAX_GAP_MS = 60;
/** In real time: so long an order that leaves before it is on disk would be ahead of it. */
const SLOW_SYNC_MS = 30;
/** An order that is aimed at must have arrived by then, in real time; where its venue is away it never does. */
const ARRIVES_WITHIN_MS = 1_000;
/** Past every stop loss of a long. */
const FALL = -0.03;
/** Far below the market, wherever that is: such an order rests. */
const RESTING = 0.98;
/** Real time in which everything must have its end; the longest wait, for an order that may still appear, is a tenth of it. */
const PATIENCE_MS = 60_000;
const FINAL = ['Filled', 'Rejected', 'Canceled', 'Expired'];

export async function runChaos(seed: number, steps: number): Promise<ChaosReport> {
  const epochMs = Date.now();
  const venues = new Map<Exchange, EmulatedVenue>();
  for (const { exchange, start } of LIVE_VENUES) venues.set(exchange, await start({ nowMs: fastClock(epochMs) }));
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-chaos-'));
  const addresses = Object.fromEntries(
    [...venues].map(([name, { baseUrl, credentials }]) => [name, { baseUrl, credentials }]),
  );
  const disk = await prepareDiskFaults(dataDir);
  const gateway = new KillableGateway({
    ...{ epochMs, dataDir, settings: SETTINGS, env: disk.env },
    venues: addresses as Record<Exchange, { baseUrl: string; credentials: EmulatedVenue['credentials'] }>,
  });
  const chaos = new Chaos(gateway, venues, disk, new Random(seed));
  try {
    await chaos.live(steps);
    const restless = await chaos.comeToRest();
    await chaos.actWhileDown();
    const endless = [...restless, ...(await chaos.comeToRest())];
    const outcomes = Object.groupBy(await chaos.trades(), ({ status }) => String(status));
    await gateway.stop();
    return {
      faults: [...endless, ...chaos.faults, ...compareBooks(dataDir, venues, chaos.sent)],
      ...{ kills: chaos.kills, signals: chaos.sent.length, actedStops: chaos.actedStops, story: chaos.story },
      outcomes: Object.fromEntries(Object.entries(outcomes).map(([name, trades]) => [name, trades?.length ?? 0])),
    };
  } finally {
    await gateway.kill();
    for (const venue of venues.values()) await venue.close();
    disk.close();
    for (const path of [dataDir, `${dataDir}.disk-faults`]) rmSync(path, { recursive: true, force: true });
  }
}

class Chaos {
  readonly sent: SentSignal[] = [];
  readonly story: string[] = [];
  readonly faults: string[] = [];
  kills = 0;
  readonly #gateway: KillableGateway;
  readonly #venues: ReadonlyMap<Exchange, EmulatedVenue>;
  readonly #disk: DiskFaults;
  readonly #random: Random;
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    gateway: KillableGateway,
    venues: ReadonlyMap<Exchange, EmulatedVenue>,
    disk: DiskFaults,
    random: Random,
  ) {
    this.#gateway = gateway;
    this.#venues = venues;
    this.#disk = disk;
    this.#random = random;
  }

  get actedStops(): number {
    const orders = [...this.#venues.values()].flatMap(({ market }) => market.orders);
    return orders.filter(({ stopId, executed }) => stopId !== undefined && executed > 0n).length;
  }

  async live(steps: number): Promise<void> {
    for (const venue of this.#venues.values()) {
      this.#movePrices(venue, 0);
      watchFlips(venue.market, this.faults);
    }
    await this.#gateway.start();
    const aims = this.#drawAims();
    const every = Math.ceil(steps / aims.length);
    for (let step = 0; step < steps; step += 1) {
      const aimed = step % every === 0 ? aims.shift() : undefined;
      await (aimed ? this.#aim(aimed.aim, aimed.row) : this.#step());
      await sleep(this.#random.between(0, MAX_GAP_MS));
    }
    for (const venue of this.#venues.values()) healVenue(venue);
    await Promise.all(this.#underWay);
  }

  /** Each fault at each venue that can meet it, in an order of its own. A start takes seconds: deaths are aimed at two venues only. */
  #drawAims(): { aim: Aim; row: LiveVenueRow }[] {
    const spared = this.#random.of(LIVE_VENUES.filter(({ doublesIds }) => !doublesIds) as [LiveVenueRow]);
    const all = AIMS.flatMap((aim) => LIVE_VENUES.map((row) => ({ aim, row })));
    const isMet = {
      twice: ({ doublesIds }: LiveVenueRow) => !doublesIds,
      unreadable: () => true,
      killed: (row: LiveVenueRow) => row !== spared,
    };
    return this.#random.shuffled(all.filter(({ aim, row }) => isMet[aim](row)));
  }

  /** Prices fall while nobody is there: stops act, and whoever comes next has to find out. */
  async actWhileDown(): Promise<void> {
    this.story.push('prices fall while the gateway is down');
    await this.#gateway.kill();
    this.kills += 1;
    for (const venue of this.#venues.values()) this.#movePrices(venue, FALL);
    await this.#gateway.start();
  }

  /** What rests is canceled, until every trade has its end and what is to be guarded is. */
  async comeToRest(): Promise<string[]> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const open = (await this.trades()).filter(({ status }) => !FINAL.includes(String(status)));
      const faults = [
        ...open.map(({ requestId, status, error }) => `the trade ${requestId} stays ${status}: ${error}`),
        ...(await this.#stopFaults()),
      ];
      if (faults.length === 0 || performance.now() > deadlineMs) return faults;
      if (open.length > 0) await this.#gateway.ask('POST', '/orders/cancel', { all: true });
      await sleep(200);
    }
  }

  async #stopFaults(): Promise<string[]> {
    const [protections, positions] = [await this.#list('/protections'), await this.#list('/positions')];
    return stopFaults(this.#venues, { protections, positions });
  }

  trades(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#list('/trades?limit=500');
  }

  async #list(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#gateway.ask('GET', path))?.body.result ?? [];
  }

  async #aim(aim: Aim, row: LiveVenueRow): Promise<void> {
    const venue = this.#venues.get(row.exchange)!;
    this.story.push(`${row.exchange}: ${aim}`);
    // What else is wrong there would keep the order from the fault that waits for it.
    healVenue(venue);
    planAim(aim, venue, row);
    const [{ symbol, unit, price, digits }] = MARKETS;
    const resting = aim === 'twice' ? { price: Number((price * RESTING).toFixed(digits)) } : {};
    if (aim === 'killed') this.#disk.delaySyncs(SLOW_SYNC_MS);
    const arrived = arrivedOrders(venue, row);
    this.#post({ exchange: row.exchange, symbol, action: 'LONG', quantity: unit, strategy: aim, ...resting });
    const deadlineMs = performance.now() + ARRIVES_WITHIN_MS;
    while (arrivedOrders(venue, row) === arrived && performance.now() < deadlineMs) await sleep(1);
    if (aim === 'killed') await this.#killAndStart();
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const [exchange, venue] = random.of([...this.#venues] as [[Exchange, EmulatedVenue]]);
    const row = LIVE_VENUES.find((each) => each.exchange === exchange) ?? LIVE_VENUES[0]!;
    const kind = random.between(0, 99);
    if (kind < 50) this.#send(exchange);
    else if (kind < 68) this.story.push(planFault(venue, row, random));
    else if (kind < 80) this.#movePrices(venue, random.between(-8, 8) / 1000);
    else if (kind < 85) this.#cancel(exchange);
    else if (kind < 90) this.story.push(`${exchange}: ${disturbVenue(venue, random)}`);
    else if (kind < 98) healVenue(venue);
    else await this.#killAndStart();
  }

  #send(exchange: Exchange): void {
    const random = this.#random;
    const { symbol, unit, price, digits } = random.of(MARKETS);
    const action = random.of(['LONG', 'SHORT', 'LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT']);
    const strategy = random.of([undefined, 'trend', 'range']);
    const limit = random.chance(25) ? Number((price * (1 + random.between(-6, 6) / 1000)).toFixed(digits)) : undefined;
    const quantity = Number((unit * random.between(1, 3)).toFixed(3));
    const isEntry = action === 'LONG' || action === 'SHORT';
    const stops = isEntry && random.chance(70) ? drawStops(random) : {};
    this.#post({ exchange, symbol, action, strategy, quantity, price: limit, ...stops });
  }

  #post(signal: object): void {
    const random = this.#random;
    const sent: SentSignal = { idempotencyKey: randomUUID(), isAcknowledged: false };
    this.sent.push(sent);
    this.story.push(`signal ${sent.idempotencyKey} ${JSON.stringify(signal)}`);
    const body = { apiKey: WEBHOOK_KEY, idempotencyKey: sent.idempotencyKey, ...signal };
    // Whoever hears nothing sends it again, as charting platforms do.
    const again = random.chance(50);
    const send = async (): Promise<void> => {
      const answer = await this.#gateway.ask('POST', '/webhook', body);
      if (answer === undefined && again) await this.#gateway.ask('POST', '/webhook', body);
      if (answer !== undefined && answer.status < 300) sent.isAcknowledged = true;
      if (answer?.status === 400) this.faults.push(`a signal of this test is wrong: ${JSON.stringify(answer.body)}`);
    };
    this.#track(send());
  }

  #cancel(exchange: Exchange): void {
    const body = this.#random.chance(50) ? { exchange } : { exchange, symbol: this.#random.of(MARKETS).symbol };
    this.story.push(`cancel ${JSON.stringify(body)}`);
    this.#track(this.#gateway.ask('POST', '/orders/cancel', body).then(() => undefined));
  }

  #movePrices({ market }: EmulatedVenue, by: number): void {
    for (const { symbol, price, digits } of MARKETS) market.setPrice(symbol, (price * (1 + by)).toFixed(digits));
  }

  async #killAndStart(): Promise<void> {
    this.story.push('kill');
    this.kills += 1;
    await this.#gateway.kill();
    this.#disk.heal();
    // What is wrong at the venues is mostly still wrong when the next process comes.
    if (this.#random.chance(30)) for (const venue of this.#venues.values()) healVenue(venue);
    await this.#gateway.start();
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

/** Near enough for the prices of this test to reach them. */
function drawStops(random: Random): object {
  const percent = (least: number, most: number) => ({ percent: random.between(least, most) / 10 });
  return { stopLoss: percent(3, 9), ...(random.chance(40) && { takeProfit: percent(3, 9) }) };
}
