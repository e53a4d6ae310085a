// The script process: everything that strangers or scripts can load, in an event loop and a heap of its own. Started by the
// trading process, reached through it alone, and ended with it.

import { writeFileSync } from 'node:fs';
import { errorText } from '../errors/error-text.ts';
import { createLog } from '../http/log.ts';
import { nodeListener } from '../http/node-listener.ts';
import { passedOrigin } from '../http/passed-on.ts';
import { listen } from '../http/server.ts';
import { connectProcess, ProcessGone } from './process-channel.ts';
import type { ScriptCalls, TradingCalls } from './script-calls.ts';
import { openScriptServices } from './script-services.ts';

/** When memory runs out the system shall end this process, not the one that trades. */
const OOM_SCORE = '500';

/** A terminal and a service manager signal every process of a group; this one ends when the trading process says so. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
/** Whoever started it is gone: nothing here may outlive it, or the next start would meet it. */
process.on('disconnect', () => process.exit());
offerToOomKiller();

type Services = Awaited<ReturnType<typeof openScriptServices>>;

let services: Services | undefined;
let closeDoors = async (_drainMs: number): Promise<void> => {};
const calls: ScriptCalls = {
  ping: () => {},
  probe: async (name) => services?.probes[name]?.(),
  openApi: () => services?.openApi(),
  metrics: async () => (await services?.metrics.registry.getMetricsAsJSON()) ?? [],
  evaluate: async (request) =>
    (await services?.runner.evaluate(request)) ?? { kind: 'busy', reason: 'scripts cannot run yet; try again' },
  closeDoors: (drainMs) => closeDoors(drainMs),
  stop: () => void end(),
};
const trading = connectProcess<TradingCalls>(process, calls);

await begin().catch(endWithOther);

async function begin(): Promise<void> {
  const { config, socketPath } = await trading.settings();
  const log = createLog({ level: config.logLevel, name: 'signalbox' });
  try {
    services = await openScriptServices({ config, log, trading });
    const { front, sockets } = services;
    const listener = nodeListener(front, passedOrigin);
    const server = await listen({ listener, sockets, path: socketPath });
    closeDoors = (drainMs) => server.stop(drainMs);
    await services.start();
    await trading.ready({ probes: Object.keys(services.probes) });
  } catch (error) {
    if (error instanceof ProcessGone) throw error;
    log.error({ err: error }, 'scripts and analysis cannot start');
    await trading.failed(errorText(error));
    await log.close();
    // Without closing what is open: the next start takes it up as after any other end.
    process.exit(1);
  }
}

/** Whoever started it has ended during the start, and has said why; a stack of this one would only hide that. */
function endWithOther(error: unknown): void {
  if (!(error instanceof ProcessGone)) throw error;
  process.exit();
}

async function end(): Promise<void> {
  await services?.close();
  process.exit();
}

/** Only Linux lets a process offer itself. */
function offerToOomKiller(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', OOM_SCORE);
  } catch {
    // Then the system decides as it does elsewhere.
  }
}
