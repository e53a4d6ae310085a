// The trading process's side of the script process: starts and watches it, does what it asks for, and speaks for it.

import type { Audit } from '../http/audit.ts';
import type { JsonObject } from '../http/openapi.ts';
import type { Origins } from '../http/origins.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import { PART_AWAY, type Probe } from '../services/operations/index.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { deploymentKeyOf } from './deployment-key.ts';
import type { GatewayTargets } from './deployments.ts';
import type { ProcessContext } from './process-context.ts';
import { environmentForScripts } from './read-config.ts';
import type { ScriptCalls, ScriptProcessAbout, TradingCalls } from './script-calls.ts';
import { scriptConfigOf } from './script-config.ts';
import { AWAY, createScriptDoors, type ScriptDoors } from './script-doors.ts';
import { ScriptLogin } from './script-login.ts';
import { SocketFolder } from './socket-folder.ts';
import type { Teardown } from './teardown.ts';
import { WatchedProcess } from './watched-process.ts';

export interface ScriptProcessParts {
  readonly context: ProcessContext;
  readonly origins: Origins;
  readonly teardown: Teardown;
}

/** What the script process asks the gateway for; set once there is one. */
export interface GatewayForScripts {
  /** Undefined where no gateway runs. */
  readonly targets: GatewayTargets | undefined;
  readonly audit: Audit;
}

const ALARM = 'scripts and analysis';
/** Of the alarms that it raises itself. */
const PREFIX = 'scripts: ';
/** The start of a busy machine; the greeting waits for it, trading does not. */
const FIRST_START_MS = 30_000;
/** Shorter than the patience of the readiness check. */
const PROBE_MS = 2000;
/** Whoever collects metrics does not wait for a process that stands still. */
const METRICS_MS = 2000;
/** Long enough for a busy machine to describe every endpoint. */
const DESCRIPTION_MS = 10_000;
/** It has closed its doors already when it is told to stop. */
const STOP_MS = 10_000;

/** It asks for the gateway before the gateway is open. */
const NOT_YET = (): Error => Object.assign(new Error('the gateway is not there yet'), { retryable: true });

export class ScriptProcessLink {
  readonly doors: ScriptDoors;
  /** It is ready, or could not start, or trading should not wait any longer: then an alarm tells why. */
  readonly firstStart: Promise<void>;
  readonly #context: ProcessContext;
  readonly #watched: WatchedProcess<ScriptCalls>;
  readonly #socketFolder: SocketFolder;
  readonly #login: ScriptLogin;
  readonly #raised = new Set<string>();
  readonly #readyListeners: (() => void)[] = [];
  #settleFirstStart = (): void => {};
  #isFirstStartOver = false;
  #gateway: GatewayForScripts | undefined;
  #about: ScriptProcessAbout | undefined;
  #openApi: JsonObject | undefined;
  #isUp = false;
  #reason: string | undefined;

  constructor({ context, origins, teardown }: ScriptProcessParts) {
    this.#context = context;
    this.#socketFolder = new SocketFolder(context.config.dataDir);
    teardown.add(() => this.#socketFolder.remove());
    this.#login = new ScriptLogin(context.config);
    teardown.add(() => this.#login.close());
    this.doors = createScriptDoors({
      ...{ context, origins, socketPath: () => this.#socketPath() },
      firstStart: () => (this.#isFirstStartOver ? undefined : this.firstStart),
    });
    this.firstStart = new Promise((resolve) => {
      this.#settleFirstStart = () => {
        this.#isFirstStartOver = true;
        resolve();
      };
      setTimeout(() => this.#startLater(), FIRST_START_MS).unref();
    });
    this.#watched = new WatchedProcess<ScriptCalls>({
      file: new URL('./script-process.ts', import.meta.url),
      env: environmentForScripts(),
      calls: this.#calls(),
      onEnd: (how) => this.#end(how),
    });
    teardown.add(() => this.#watched.stop(STOP_MS));
  }

  serveGateway(gateway: GatewayForScripts): void {
    this.#gateway = gateway;
  }

  /** Each time from now on. */
  onReady(listener: () => void): void {
    this.#readyListeners.push(listener);
  }

  /** Whether an alarm is about it, or comes from it. */
  isAlarm(kind: string): boolean {
    return kind === ALARM || kind.startsWith(PREFIX);
  }

  /** Asked for once: the next process has the same. Undefined where none could answer yet. */
  async openApi(): Promise<JsonObject | undefined> {
    const asked = this.#isUp && this.#openApi === undefined ? this.#watched.remote?.openApi() : undefined;
    const told =
      asked &&
      (await withTimeout(
        asked.catch(() => undefined),
        DESCRIPTION_MS,
        () => undefined,
        foregroundTimers,
      ));
    this.#openApi ??= told;
    return this.#openApi;
  }

  probes(): Readonly<Record<string, Probe>> {
    const isReached = this.#socketPath() !== undefined;
    const names = this.#isUp && isReached ? (this.#about?.probes ?? []) : [];
    return Object.fromEntries(names.map((name) => [name, () => this.#probe(name)]));
  }

  /** A store that fails is told as such; a process that stands still says nothing of its stores, and is replaced soon. */
  #probe(name: string): ReturnType<Probe> {
    const asked = this.#watched.remote?.probe(name);
    return asked && withTimeout(asked, PROBE_MS, (): typeof PART_AWAY => PART_AWAY, foregroundTimers);
  }

  /** None while it is away or does not answer. */
  async metrics(): Promise<readonly object[]> {
    const asked = this.#isUp ? this.#watched.remote?.metrics().catch(() => []) : undefined;
    return asked === undefined ? [] : withTimeout(asked, METRICS_MS, () => [], foregroundTimers);
  }

  /** For the agent. A signal to give up cannot be handed over: what nobody waits for any more ends at its own limit. */
  evaluate: ScriptRunner['evaluate'] = async ({ signal: _, progress: __, ...request }) => {
    const asked = this.#isUp ? this.#watched.remote?.evaluate(request) : undefined;
    return (await asked?.catch(() => undefined)) ?? { kind: 'busy', reason: AWAY };
  };

  async closeDoors(drainMs: number): Promise<void> {
    await this.#watched.remote?.closeDoors(drainMs).catch(() => {});
  }

  /** A process that nobody can reach any more is replaced: the next one gets a socket of its own. */
  #socketPath(): string | undefined {
    const path = this.#socketFolder.socketPath();
    if (path === undefined && this.#isUp) {
      this.#reason = 'the folder of its socket was removed, or is not ours any more';
      this.#watched.replace();
    }
    return path;
  }

  #calls(): TradingCalls {
    const { config, alarms } = this.#context;
    return {
      settings: () => ({ config: scriptConfigOf(config), socketPath: this.#socketFolder.make() }),
      ready: (about) => this.#ready(about),
      failed: (reason) => {
        this.#reason = reason;
      },
      raiseAlarm: (kind, text) => {
        this.#raised.add(kind);
        alarms.raise(`${PREFIX}${kind}`, text);
      },
      endAlarm: (kind) => this.#endAlarm(kind),
      audit: (change) => this.#gateway?.audit(change),
      sendChat: async (message) => {
        const { telegram } = this.#targets();
        if (telegram === undefined) throw NOT_YET();
        return telegram.notifier.send(message);
      },
      deploymentKey: () => deploymentKeyOf(this.#context.config),
      strangersUrl: () => this.#login.address(),
      addSignal: (record) => this.#targets().signals.add(record),
      webhookKey: (apiKey) => this.#targets().trades.identify(apiKey),
      tradeAlert: (alert) => this.#targets().trades.trade(alert),
      strategyHeld: (of) => this.#targets().trades.held(of),
      keyAccounts: (of) => this.#targets().trades.accountsOf(of),
      alertsArrived: (of) => this.#targets().trades.arrived(of),
      strategyTrades: (of) => this.#targets().trades.past(of),
      strategyTradesFrom: () => this.#targets().trades.completeFromMs(),
      deploymentChanged: (change) => this.#gateway?.targets?.onDeployment(change),
      listSignals: (filter) => this.#targets().signals.list(filter),
    };
  }

  #targets(): GatewayTargets {
    if (this.#gateway?.targets === undefined) throw NOT_YET();
    return this.#gateway.targets;
  }

  #ready(about: ScriptProcessAbout): void {
    this.#about = about;
    this.#isUp = true;
    this.#reason = undefined;
    this.#context.alarms.over(ALARM);
    this.#settleFirstStart();
    for (const listener of this.#readyListeners) listener();
  }

  #startLater(): void {
    const words = 'Scripts and analysis are still starting; trading goes on without them.';
    if (!this.#isUp) this.#context.alarms.raise(ALARM, words);
    this.#settleFirstStart();
  }

  #endAlarm(kind: string): void {
    this.#raised.delete(kind);
    this.#context.alarms.over(`${PREFIX}${kind}`);
  }

  #end(how: string): void {
    const { alarms, log } = this.#context;
    this.#isUp = false;
    // They were its own, and it is not there to end them.
    for (const kind of this.#raised) this.#endAlarm(kind);
    alarms.raise(ALARM, `Scripts and analysis are away and are started again: ${this.#reason ?? how}`);
    log.warn({ how, reason: this.#reason }, 'the script process ended');
    this.#settleFirstStart();
  }
}
