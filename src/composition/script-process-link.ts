// The trading process's side of the script process: starts and watches it, passes its paths on, and answers while it is away.

import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useCors } from '../http/cors.ts';
import { type ErrorShape, type ErrorTable, Refusal } from '../http/errors.ts';
import { nodeListener } from '../http/node-listener.ts';
import type { Origins } from '../http/origins.ts';
import { createReverseProxy } from '../http/reverse-proxy.ts';
import { refuseHandshake } from '../http/socket-handshake.ts';
import { statusShape } from '../http/status-shape.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import { ANALYSIS_ERRORS } from '../services/analysis/errors.ts';
import type { Audit } from '../services/gateway/admin-answers.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../services/gateway/index.ts';
import type { GatewayTargets } from './deployments.ts';
import type { Ground } from './ground.ts';
import type { ScriptCalls, ScriptProcessAbout, TradingCalls } from './script-calls.ts';
import { createOwnerOf } from './script-paths.ts';
import type { Teardown } from './teardown.ts';
import { WatchedProcess } from './watched-process.ts';

export interface ScriptProcessParts {
  readonly ground: Ground;
  readonly origins: Origins;
  readonly teardown: Teardown;
}

/** What the script process asks the gateway for; set once there is one. */
export interface GatewayForScripts {
  /** Undefined where no gateway runs. */
  readonly targets: GatewayTargets | undefined;
  readonly audit: Audit;
}

export type ScriptProcessLink = ReturnType<typeof startScriptProcess>;

const ALARM = 'scripts and analysis';
/** Of the alarms that it raises itself. */
const PREFIX = 'scripts: ';
const AWAY = 'scripts and analysis are being started again; try again in a second';
const RETRY = { headers: { 'retry-after': '1' } };
/** The start of a busy machine; the greeting waits for it, trading does not. */
const FIRST_START_MS = 30_000;
/** It has closed its doors already when it is told to stop. */
const STOP_MS = 10_000;

/** It asks for the gateway before the gateway is open. */
const NOT_YET = (): Error => Object.assign(new Error('the gateway is not there yet'), { retryable: true });

export function startScriptProcess({ ground, origins, teardown }: ScriptProcessParts) {
  const { config, log, alarms } = ground;
  // A folder of its own that only this user can enter: whoever reaches the socket is believed who the client is.
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  const socketPath = join(folder, 'scripts.sock');
  teardown.add(() => rmSync(folder, { recursive: true, force: true }));

  const raised = new Set<string>();
  let gateway: GatewayForScripts | undefined;
  let about: ScriptProcessAbout | undefined;
  let isUp = false;
  let reason: string | undefined;
  const readyListeners: (() => void)[] = [];
  let settleFirstStart = (): void => {};
  const firstStart = new Promise<void>((resolve) => {
    settleFirstStart = resolve;
    setTimeout(() => {
      if (!isUp) alarms.raise(ALARM, 'Scripts and analysis are still starting; trading goes on without them.');
      resolve();
    }, FIRST_START_MS).unref();
  });
  const targets = (): GatewayTargets => {
    if (gateway?.targets === undefined) throw NOT_YET();
    return gateway.targets;
  };
  const calls: TradingCalls = {
    settings: () => {
      // Left behind by the process before it.
      rmSync(socketPath, { force: true });
      return { config, socketPath };
    },
    ready(told) {
      about = told;
      isUp = true;
      reason = undefined;
      alarms.over(ALARM);
      settleFirstStart();
      for (const listener of readyListeners) listener();
    },
    failed(fault) {
      reason = fault;
    },
    raiseAlarm(kind, text) {
      raised.add(kind);
      alarms.raise(`${PREFIX}${kind}`, text);
    },
    endAlarm(kind) {
      raised.delete(kind);
      alarms.over(`${PREFIX}${kind}`);
    },
    audit: (change) => gateway?.audit(change),
    async sendChat(message) {
      const { telegram } = targets();
      if (telegram === undefined) throw NOT_YET();
      return telegram.notifier.send(message);
    },
    addSignal: (record) => targets().signals.add(record),
    listSignals: (filter) => targets().signals.list(filter),
  };
  const watched = new WatchedProcess<ScriptCalls>({
    file: new URL('./script-process.ts', import.meta.url),
    calls,
    onEnd(how) {
      isUp = false;
      // They were its own, and it is not there to end them.
      for (const kind of raised) calls.endAlarm(kind);
      alarms.raise(ALARM, `Scripts and analysis are away and are started again: ${reason ?? how}`);
      log.warn({ how, reason }, 'the script process ended');
      settleFirstStart();
    },
  });
  teardown.add(() => watched.stop(STOP_MS));

  return {
    get pid() {
      return watched.pid;
    },
    serveGateway(given: GatewayForScripts): void {
      gateway = given;
    },
    /** Each time from now on. */
    onReady(listener: () => void): void {
      readyListeners.push(listener);
    },
    /** It is ready, or could not start, or trading should not wait any longer: then an alarm tells why. */
    firstStart,
    /** Whether an alarm is about it, or comes from it. */
    isAlarm: (kind: string) => kind === ALARM || kind.startsWith(PREFIX),
    /** Undefined before it was ready once. */
    openApi: () => about?.openApi,
    probes: () =>
      Object.fromEntries((isUp ? (about?.probes ?? []) : []).map((name) => [name, () => watched.remote?.probe(name)])),
    metrics: async () => (isUp ? ((await watched.remote?.metrics().catch(() => [])) ?? []) : []),
    scripts: {
      // A signal cannot be handed over: what nobody waits for any more ends at its own limit.
      async evaluate({ signal: _, progress: __, ...request }) {
        const outcome = isUp ? await watched.remote?.evaluate(request) : undefined;
        return outcome ?? { kind: 'busy', reason: AWAY };
      },
    } satisfies Pick<ScriptRunner, 'evaluate'>,
    closeDoors: async (drainMs: number) => watched.remote?.closeDoors(drainMs).catch(() => {}),
    ...passOn({ ground, origins, teardown }, socketPath),
  };
}

/** The doors: what is passed on, and what is said while nobody is there to answer. */
function passOn({ ground, origins }: ScriptProcessParts, socketPath: string) {
  const { config, requestIds } = ground;
  const ownerOf = createOwnerOf(config.services);
  const away = (errors: ErrorTable, shape: ErrorShape): RequestListener => {
    const app = ground.makeApp('scripts', errors, shape);
    useCors(app, { origins });
    app.use(() => {
      throw new Refusal('UNAVAILABLE', AWAY, RETRY);
    });
    return nodeListener(app);
  };
  const scriptsAway = away(ANALYSIS_ERRORS, statusShape);
  const adminAway = away({ ...GATEWAY_ERRORS, UNAVAILABLE: ANALYSIS_ERRORS.UNAVAILABLE }, gatewayShape);
  const proxy = createReverseProxy({
    socketPath,
    onUnavailable: (incoming, outgoing) =>
      (ownerOf(incoming.url) === 'script admin' ? adminAway : scriptsAway)(incoming, outgoing),
    onSocketUnavailable: (_, socket) => void refuseHandshake(socket, 'AWAY', requestIds(), statusShape),
  });
  return {
    sockets: proxy,
    /** Serves what belongs to the script process, and hands everything else to the trading process. */
    inFrontOf:
      (trading: RequestListener): RequestListener =>
      (incoming, outgoing) =>
        (ownerOf(incoming.url) === 'trading' ? trading : proxy.serve)(incoming, outgoing),
  };
}
