// One round of the proof: random signals from many senders to a real deployment while everything goes wrong that can; then quiet, and
// a comparison of what senders were told, what the journal says and what the venues saw.
//
// The seed decides the signals and the faults. How they meet is up to the machine, so a seed that has failed may have to be run a few
// times.

import { setTimeout as sleep } from 'node:timers/promises';
import { EXCHANGES } from '../../../src/exchanges/exchange.ts';
import { type Finding, finding } from '../nothing-lost.ts';
import { Random } from '../random.ts';
import { type SentSignal, sendAll } from '../senders.ts';
import { checkEnds, type Ends } from './check-ends.ts';
import { type CuttingProxy, openProxy } from './cutting-proxy.ts';
import type { Deployment, Fault, OpenForm, QueueMode } from './form.ts';
import { killSwitchFault } from './kill-switch-fault.ts';
import { drawSignal } from './random-signals.ts';
import { openSqliteForm } from './sqlite-form.ts';
import { SwitchHistory } from './switch-history.ts';
import { openVenuePart } from './venue-part.ts';

export interface ChaosRound {
  readonly seed: number;
  readonly mode: QueueMode;
  readonly signals: number;
  readonly connections?: number;
  /** Between two faults so many requests pass, more or less. */
  readonly requestsPerFault?: number;
  /** Of a thousand signals so many go to an emulated venue; to none where it is left out. */
  readonly livePermille?: number;
  /** Which faults come, by name; all of them where it is left out. */
  readonly faults?: readonly string[];
  readonly openForm?: OpenForm;
  /** Of a switch that somebody else has thrown as well; nobody has where it is left out. */
  readonly switches?: SwitchHistory;
}

export interface RoundReport {
  readonly seed: number;
  readonly mode: QueueMode;
  readonly signals: number;
  readonly requests: number;
  /** Signals whose sender was told that it is taken, those that were refused, and those of which nobody was told anything. */
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly trades: number;
  readonly filled: number;
  /** Of the acknowledged signals. */
  readonly ends: Ends;
  /** That reached the emulated venue. */
  readonly liveOrders: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** What was done, step by step. */
  readonly story: readonly string[];
}

const API_KEYS = ['a', 'b', 'c'].map((letter) => `whk_${letter.repeat(43)}`) as [string, ...string[]];
const ACCOUNTS = ['scalp'] as const;
/** Less than a frozen process may take: senders give up and come again while it still has their signal. */
const TIMEOUT_MS = 2700;
const MOST_RETRIES = 5;
const IMPATIENT_PERCENT = 15;

export async function runRound(round: ChaosRound): Promise<RoundReport> {
  const random = new Random(round.seed);
  const proxy = await openProxy();
  const venue = round.livePermille === undefined ? undefined : await openVenuePart(random);
  const live = venue === undefined ? [] : [venue.exchange];
  const form = await (round.openForm ?? openSqliteForm)({
    ...{ mode: round.mode, apiKeys: API_KEYS, accounts: ACCOUNTS, live },
    settings: venue?.settings ?? {},
    onStart: proxy.leadTo,
  });
  const { switches = new SwitchHistory() } = round;
  const possible = [
    ...form.faults,
    killSwitchFault(form, switches),
    ...proxyFaults(proxy),
    ...(venue === undefined ? [] : [venue.fault]),
  ];
  const chaos = new Chaos(
    form,
    possible.filter(({ name }) => round.faults?.includes(name) ?? true),
    random,
  );
  const paper = EXCHANGES.filter((exchange) => !live.includes(exchange)) as [string, ...string[]];
  const signals = new Random(round.seed + 1);
  const source = {
    ...{ random: signals, apiKeys: API_KEYS, accounts: ACCOUNTS, paper, hasStops: true },
    live: venue && { exchange: venue.exchange, permille: round.livePermille ?? 0 },
  };
  try {
    await form.start();
    const sent = await sendAll({
      // Most senders do not send to what is known to be down; some do not know.
      url: async () => {
        if (!signals.chance(IMPATIENT_PERCENT)) await chaos.ready;
        return proxy.url;
      },
      ...{ total: round.signals, connections: round.connections ?? 50, timeoutMs: TIMEOUT_MS },
      next: () => drawSignal(source),
      // Some senders give up at once.
      retries: () => (signals.chance(70) ? MOST_RETRIES : 0),
      onSent: (count) => chaos.onSent(count, round.requestsPerFault ?? 300),
    });
    await chaos.over();
    proxy.delay(0);
    form.heal();
    venue?.heal();
    await form.comeToRest();
    const found = [...chaos.findings, ...(await form.end(sent)), ...(venue?.check(form.dataDir) ?? [])];
    const { findings, ends } = checkEnds(form.dataDir, sent, { clocks: form.clocks, switches, live });
    return {
      ...{ seed: round.seed, mode: round.mode, signals: round.signals, requests: sent.length },
      ...countAnswers(sent),
      ...form.count(),
      ...{ ends, liveOrders: venue?.orders ?? 0, faults: chaos.struck, story: chaos.story },
      findings: [...found, ...findings, ...switches.check(sent)],
    };
  } finally {
    await form.close();
    await venue?.close();
    await proxy.close();
  }
}

const proxyFaults = (proxy: CuttingProxy): readonly Fault[] => [
  {
    name: 'connections cut',
    weight: 3,
    strike: async (random) => `${proxy.cut(random.between(20, 100), random)} connections cut`,
  },
  {
    name: 'answers lost',
    weight: 3,
    strike: async (random) => {
      const count = random.between(1, 40);
      proxy.loseAnswers(count);
      return `${count} answers lost`;
    },
  },
  {
    name: 'slow network',
    weight: 2,
    strike: async (random) => {
      const ms = random.of([0, 10, 50]);
      proxy.delay(ms);
      return `everything takes ${ms} ms to arrive`;
    },
  },
];

/** Draws a fault again and again while signals are sent. */
class Chaos {
  readonly story: string[] = [];
  readonly struck = new Map<string, number>();
  readonly findings: Finding[] = [];
  /** Resolves when what is down is up again. */
  ready: Promise<unknown> = Promise.resolve();
  readonly #form: Deployment;
  readonly #faults: readonly Fault[];
  readonly #random: Random;
  readonly #bag: Fault[];
  #underWay: Promise<void> | undefined;
  #nextAt = 0;

  constructor(form: Deployment, faults: readonly Fault[], random: Random) {
    this.#form = form;
    this.#faults = faults;
    this.#random = random;
    this.#bag = random.shuffled(faults);
  }

  onSent(count: number, perFault: number): void {
    if (this.#underWay !== undefined || count < this.#nextAt || this.#faults.length === 0) return;
    this.#nextAt = count + this.#random.between(1, 2 * perFault);
    const fault = this.#draw();
    this.#underWay = this.#strike(fault).finally(() => {
      this.#underWay = undefined;
    });
    if (fault.isOutage) this.ready = this.#underWay;
  }

  /** Waits for the fault that is under way. */
  async over(): Promise<void> {
    while (this.#underWay !== undefined) await this.#underWay;
    await sleep(0);
  }

  /** Each of them once at first, so that a short round has met them all; then as often as they weigh. */
  #draw(): Fault {
    const tickets = this.#faults.flatMap((fault) => Array<Fault>(fault.weight).fill(fault));
    return this.#bag.pop() ?? this.#random.of(tickets as [Fault]);
  }

  async #strike(fault: Fault): Promise<void> {
    this.struck.set(fault.name, (this.struck.get(fault.name) ?? 0) + 1);
    try {
      this.story.push(await fault.strike(this.#random));
    } catch (error) {
      // Nothing goes on without a process.
      this.findings.push(finding('other', `after "${this.story.at(-1)}" the fault "${fault.name}" broke it: ${error}`));
      throw error;
    } finally {
      this.findings.push(...this.#form.takeFindings());
    }
  }
}

function countAnswers(sent: readonly SentSignal[]) {
  const count = { acknowledged: 0, refused: 0, unanswered: 0 };
  for (const tries of Map.groupBy(sent, ({ idempotencyKey }) => idempotencyKey).values()) {
    const answers = tries.flatMap(({ answer }) => answer ?? []);
    if (answers.some(({ status }) => status < 300 || status === 409)) count.acknowledged++;
    else if (answers.length > 0) count.refused++;
    else count.unanswered++;
  }
  return count;
}
