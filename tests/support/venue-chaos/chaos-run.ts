// One run of chaos: random signals to two accounts at every venue while answers are lost, streams are cut, the owner trades by hand, positions are
// liquidated and the process is killed; then quiet, and a comparison of what was written with what the venues know. Meanwhile nothing
// may go without its stop for long unless an alarm says so.
//
// The seed decides the signals, the faults and the kills. How they meet is up to the machine, so a seed that has failed may
// have to be run a few times.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN_ACCOUNT } from '../../../src/trading/accounts.ts';
import { type DiskFaults, prepareDiskFaults } from '../disk-faults/index.ts';
import { Refusal } from '../emulated-venues/futures-order.ts';
import { tradeByHand } from '../emulated-venues/owner.ts';
import { liveConfig, WEBHOOK_KEY } from '../live-gateway.ts';
import { Random } from '../random.ts';
import { STOP_VENUES, type StopVenueRow } from '../stop-venues.ts';
import { AIMS, type Aim, arrivedOrders, planAim } from './aimed-faults.ts';
import type { Break } from './broken-product.ts';
import {
  addressesOf,
  type ChaosAccount,
  type ChaosAccounts,
  closeChaosAccounts,
  openChaosAccounts,
  storeAccounts,
} from './chaos-accounts.ts';
import { compareBooks, type OwnersMarket, positionFaults, type SentSignal } from './compare-books.ts';
import { stopFaults } from './compare-stops.ts';
import { fastClock } from './fast-clock.ts';
import { watchFlips } from './flips.ts';
import { KillableGateway } from './killable-gateway.ts';
import { NakedWatch } from './naked-watch.ts';
import { disturbVenue, healVenue, planFault } from './random-faults.ts';
import { drawSignal, MARKETS, turned } from './random-signals.ts';

export interface ChaosReport {
  readonly faults: readonly string[];
  readonly kills: number;
  readonly signals: number;
  /** How many orders the venues' stops have sent. */
  readonly actedStops: number;
  /** How many trades of second accounts were filled. */
  readonly filledBySecond: number;
  /** How many trades ended how. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What was done, step by step. */
  readonly story: readonly string[];
}

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
/** In real time: as long as the watch needs to find what is naked, and longer. */
const SILENCE_MS = 4_000;
const OUTWEIGHS = 20;
/** Past every stop loss of a long. */
const FALL = -0.03;
/** Far below the market, wherever that is: such an order rests. */
const RESTING = 0.98;
/** The longest wait, for an order that may still appear, is a tenth of it. */
const PATIENCE_MS = 180_000;
const FINAL = ['Filled', 'Rejected', 'Canceled', 'Expired'];

export interface ChaosOptions {
  /** A product that mixes up accounts, which never comes to rest. */
  readonly broken?: Break;
  /** Real time in which everything must have its end. */
  readonly patienceMs?: number;
}

export async function runChaos(seed: number, steps: number, options: ChaosOptions = {}): Promise<ChaosReport> {
  const { broken, patienceMs = PATIENCE_MS } = options;
  const epochMs = Date.now();
  const accounts = await openChaosAccounts(fastClock(epochMs));
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-chaos-'));
  const venues = addressesOf(accounts);
  await storeAccounts(liveConfig(dataDir, SETTINGS, venues), accounts);
  const disk = await prepareDiskFaults(dataDir);
  const gateway = new KillableGateway({
    ...{ epochMs, dataDir, settings: SETTINGS, env: disk.env, venues, broken },
  });
  const chaos = new Chaos(gateway, accounts, disk, new Random(seed));
  try {
    await chaos.live(steps);
    const restless = await chaos.comeToRest(patienceMs);
    await chaos.actWhileDown();
    const endless = [...restless, ...(await chaos.comeToRest(patienceMs))];
    const trades = await chaos.trades();
    const outcomes = Object.groupBy(trades, ({ status }) => String(status));
    await gateway.stop();
    return {
      faults: [...endless, ...chaos.faults, ...compareBooks(dataDir, accounts, chaos.sent, chaos.owners)],
      ...{ kills: chaos.kills, signals: chaos.sent.length, actedStops: chaos.actedStops, story: chaos.story },
      filledBySecond: trades.filter(({ status, account }) => status === 'Filled' && account !== MAIN_ACCOUNT).length,
      outcomes: Object.fromEntries(Object.entries(outcomes).map(([name, trades]) => [name, trades?.length ?? 0])),
    };
  } finally {
    await gateway.kill();
    await closeChaosAccounts(accounts);
    disk.close();
    for (const path of [dataDir, `${dataDir}.disk-faults`]) rmSync(path, { recursive: true, force: true });
  }
}

class Chaos {
  readonly sent: SentSignal[] = [];
  readonly story: string[] = [];
  readonly faults: string[] = [];
  /** Where the owner trades by hand and the venue liquidates: nobody else's positions may ever be found wrong. */
  readonly owners: OwnersMarket;
  kills = 0;
  readonly #gateway: KillableGateway;
  readonly #accounts: ChaosAccounts;
  readonly #disk: DiskFaults;
  readonly #random: Random;
  /** In words. */
  readonly #hedged: ReadonlySet<string>;
  readonly #watch: NakedWatch;
  readonly #underWay = new Set<Promise<void>>();

  constructor(gateway: KillableGateway, accounts: ChaosAccounts, disk: DiskFaults, random: Random) {
    this.#gateway = gateway;
    this.#accounts = accounts;
    this.#disk = disk;
    this.#random = random;
    this.owners = { account: random.of([...accounts.keys()] as [string]), symbol: MARKETS[1].symbol };
    this.#hedged = new Set([...accounts.keys()].filter(() => random.chance(50)));
    this.#watch = new NakedWatch(gateway, accounts, (fault) => void this.faults.push(fault));
  }

  get actedStops(): number {
    const orders = [...this.#accounts.values()].flatMap(({ market }) => market.orders);
    return orders.filter(({ stopId, executed }) => stopId !== undefined && executed > 0n).length;
  }

  async live(steps: number): Promise<void> {
    for (const account of this.#accounts.values()) {
      const { words, row, market } = account;
      this.#movePrices(account, 0);
      await row.setMode(account, this.#hedged.has(words));
      watchFlips(market, this.faults, words === this.owners.account ? this.owners.symbol : undefined);
    }
    this.story.push(
      `hedge accounts: ${[...this.#hedged].join() || 'none'}; the owner trades ${JSON.stringify(this.owners)}`,
    );
    await this.#gateway.start();
    this.#watch.start();
    const aims = this.#drawAims();
    const every = Math.ceil(steps / aims.length);
    for (let step = 0; step < steps; step += 1) {
      const aimed = step % every === 0 ? aims.shift() : undefined;
      await (aimed ? this.#aim(aimed.aim, aimed.account) : this.#step());
      // Chance alone may leave them out.
      if (step === Math.floor(steps / 3)) this.#actAsOwner(true);
      if (step === Math.floor(steps / 2)) this.#actAsOwner(false);
      await sleep(this.#random.between(0, MAX_GAP_MS));
    }
    this.#healAll();
    await Promise.all(this.#underWay);
    await this.#watch.stop();
  }

  /** Each fault at each venue that can meet it, in an order of its own. A start takes seconds: deaths are aimed at two venues only, and a long silence at one. */
  #drawAims(): { aim: Aim; account: ChaosAccount }[] {
    const spared = this.#random.of(STOP_VENUES.filter(({ doublesIds }) => !doublesIds) as [StopVenueRow]);
    const silenced = this.#random.of(STOP_VENUES as [StopVenueRow]);
    const all = AIMS.flatMap((aim) => STOP_VENUES.map((row) => ({ aim, row })));
    const isMet = {
      twice: ({ doublesIds }: StopVenueRow) => !doublesIds,
      unreadable: () => true,
      killed: (row: StopVenueRow) => row !== spared,
      silenced: (row: StopVenueRow) => row === silenced,
    };
    const met = this.#random.shuffled(all.filter(({ aim, row }) => isMet[aim](row)));
    return met.map(({ aim, row }) => ({ aim, account: this.#random.of(this.#ofVenue(row)) }));
  }

  /** Prices fall while nobody is there: stops act, and whoever comes next has to find out. */
  async actWhileDown(): Promise<void> {
    this.story.push('prices fall while the gateway is down');
    await this.#gateway.kill();
    this.kills += 1;
    for (const account of this.#accounts.values()) this.#movePrices(account, FALL);
    await this.#gateway.start();
  }

  /** What rests is canceled, until every trade has its end and what is to be guarded is. */
  async comeToRest(patienceMs: number): Promise<string[]> {
    const deadlineMs = performance.now() + patienceMs;
    for (;;) {
      const open = (await this.trades()).filter(({ status }) => !FINAL.includes(String(status)));
      const faults = [
        ...open.map(({ status, ...trade }) => `a trade stays ${status}: ${JSON.stringify(trade)}`),
        ...(await this.#stopFaults()),
        ...positionFaults((await this.#list('/positions')).filter(isHeld), this.#accounts),
      ];
      if (faults.length === 0 || performance.now() > deadlineMs) return faults;
      if (open.length > 0) await this.#gateway.ask('POST', '/orders/cancel', { all: true });
      await this.#gateway.ask('POST', '/reconciliation');
      await sleep(200);
    }
  }

  async #stopFaults(): Promise<string[]> {
    const [protections, positions] = [await this.#list('/protections'), await this.#list('/positions')];
    return stopFaults(this.#accounts, { protections, positions });
  }

  trades(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#list('/trades?limit=500');
  }

  async #list(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#gateway.ask('GET', path))?.body.result ?? [];
  }

  async #aim(aim: Aim, at: ChaosAccount): Promise<void> {
    const { exchange, account, words } = at;
    this.story.push(`${words}: ${aim}`);
    // What else is wrong there would keep the order from the fault that waits for it.
    healVenue(at);
    if (aim === 'silenced') return this.#silence(at);
    planAim(aim, at);
    const [{ symbol, unit, price, digits }] = MARKETS;
    const resting = aim === 'twice' ? { price: Number((price * RESTING).toFixed(digits)) } : {};
    if (aim === 'killed') this.#disk.delaySyncs(SLOW_SYNC_MS);
    const arrived = arrivedOrders(at);
    this.#post({ exchange, account, symbol, action: 'LONG', quantity: unit, strategy: aim, ...resting });
    await this.#until(() => arrivedOrders(at) > arrived);
    if (aim === 'killed') await this.#killAndStart();
  }

  /** Two strategies hold something; the venue takes the stop of one back for its exit, and says nothing more for a while. */
  async #silence(at: ChaosAccount): Promise<void> {
    const [{ symbol, unit }] = MARKETS;
    const { exchange, account } = at;
    this.#movePrices(at, 0);
    const known = at.market.stops.all.length;
    // More than all others together: a netted position has no stop of a side that is outweighed.
    const quantity = Number((OUTWEIGHS * unit).toFixed(3));
    for (const strategy of ['silenced', 'beside'])
      this.#post({ exchange, account, symbol, action: 'LONG', quantity, strategy, stopLoss: { percent: 0.9 } });
    await this.#until(() => at.market.stops.all.length >= known + 2, SILENCE_MS);
    planAim('silenced', at);
    this.#post({ exchange, account, symbol, action: 'CLOSE_LONG', quantity, strategy: 'silenced' });
    await sleep(SILENCE_MS);
    healVenue(at);
  }

  async #until(holds: () => boolean, withinMs = ARRIVES_WITHIN_MS): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    while (!holds() && performance.now() < deadlineMs) await sleep(1);
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const at = random.of([...this.#accounts.values()] as [ChaosAccount]);
    const kind = random.between(0, 99);
    if (kind < 50) this.#send(at);
    else if (kind < 68) this.story.push(planFault(at, at.row, random));
    else if (kind < 80) this.#movePrices(at, random.between(-8, 8) / 1000);
    else if (kind < 85) this.#cancel(at);
    else if (kind < 90) this.story.push(`${at.words}: ${disturbVenue(at, random)}`);
    else if (kind < 95) healVenue(at);
    else if (kind < 98) this.#actAsOwner(this.#random.chance(60));
    else await this.#killAndStart();
  }

  /** Often to both accounts of a venue at once, the same way or against each other. */
  #send({ exchange, account, row }: ChaosAccount): void {
    const random = this.#random;
    const signal = drawSignal(random);
    this.#post({ exchange, account, ...signal });
    if (random.chance(60)) return;
    const others = this.#ofVenue(row).filter((other) => other.account !== account);
    for (const other of others)
      this.#post({ exchange, account: other.account, ...(random.chance(50) ? signal : turned(signal)) });
  }

  #ofVenue({ exchange }: StopVenueRow): [ChaosAccount, ...ChaosAccount[]] {
    return [...this.#accounts.values()].filter((each) => each.exchange === exchange) as [ChaosAccount];
  }

  #healAll(): void {
    for (const account of this.#accounts.values()) healVenue(account);
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

  #cancel({ exchange, account }: ChaosAccount): void {
    const { symbol } = this.#random.of(MARKETS);
    const body = this.#random.of<object>([{ exchange }, { exchange, account }, { exchange, account, symbol }]);
    this.story.push(`cancel ${JSON.stringify(body)}`);
    this.#track(this.#gateway.ask('POST', '/orders/cancel', body).then(() => undefined));
  }

  /** By hand, at the venue's own page; or the venue itself, because the margin is gone. */
  #actAsOwner(isByHand: boolean): void {
    const { account, symbol } = this.owners;
    const { exchange, market } = this.#accounts.get(account)!;
    const side = this.#random.of(['BUY', 'SELL'] as const);
    this.story.push(`${account}: ${isByHand ? `the owner trades ${side} ${symbol}` : `${symbol} is liquidated`}`);
    try {
      const quantity = String(MARKETS[1].unit);
      if (!isByHand) market.liquidate(symbol);
      else tradeByHand({ market }, { exchange, symbol, side, quantity, isHedge: this.#hedged.has(account) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Of the venue, for both accounts. */
  #movePrices({ prices }: ChaosAccount, by: number): void {
    for (const { symbol, price, digits } of MARKETS) prices.setPrice(symbol, (price * (1 + by)).toFixed(digits));
  }

  async #killAndStart(): Promise<void> {
    this.story.push('kill');
    this.kills += 1;
    await this.#gateway.kill();
    this.#disk.heal();
    // What is wrong at the venues is mostly still wrong when the next process comes.
    if (this.#random.chance(30)) this.#healAll();
    await this.#gateway.start();
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

/** Where strategies stand against each other a position may be flat and have shares all the same. */
const isHeld = ({ quantity }: Readonly<Record<string, unknown>>): boolean => quantity !== 0;
