// Long polling: asks Telegram for what people sent to the bot, hands each on once, and outlives outages.

import { backoffMs } from '../../../timing/backoff.ts';
import { foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import { type BotApi, BotApiError, type BotApiFault, LONG_POLL_S } from './bot-api.ts';

export interface Polling {
  /** Ends the poll under way at once and takes up nothing more. */
  stop(): void;
  /** Resolves when the last command taken up is done. */
  readonly ended: Promise<void>;
}

export interface UpdateContext {
  readonly botName: string;
  /** It may have been sent long ago, while nobody asked Telegram for news. */
  readonly waited: boolean;
}

export interface PollingParts {
  readonly api: Pick<BotApi, 'me' | 'updates'>;
  readonly handle: (update: unknown, context: UpdateContext) => Promise<void>;
  readonly monotonicMs: () => number;
  readonly log: PollingLog;
}

export interface PollingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const PAUSE = { firstMs: 1000, longestMs: 60_000 };
/** A server that answers at once with nothing new must not be asked without end. */
const IDLE_PAUSE_MS = 1000;
/** After a silence this long, what is waiting at Telegram may be old. */
const SILENCE_MS = 30_000;

export function startPolling({ api, handle, monotonicMs, log }: PollingParts): Polling {
  const stopping = new AbortController();
  const stop = stopping.signal;
  let botName: string | undefined;
  let offset = 0;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let trouble: BotApiFault | undefined;
  let failures = 0;

  const poll = async (): Promise<void> => {
    botName ??= await api.me();
    const waited = monotonicMs() - answeredAtMs > SILENCE_MS;
    const [askedAtMs, askedFor] = [monotonicMs(), offset];
    const updates = await api.updates(offset, waited ? 0 : LONG_POLL_S, stop);
    answeredAtMs = monotonicMs();
    for (const update of updates) {
      if (stop.aborted) return;
      const { update_id: id } = (update ?? {}) as { update_id?: unknown };
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < offset) continue;
      // Counted before it is carried out: a command that fails half-way must not come again.
      offset = id + 1;
      await handle(update, { botName, waited });
    }
    if (!waited && offset === askedFor && answeredAtMs - askedAtMs < IDLE_PAUSE_MS)
      await wait(IDLE_PAUSE_MS, { stop, timers: foregroundTimers });
  };

  const failed = async (error: unknown): Promise<void> => {
    if (stop.aborted) return;
    const fault = error instanceof BotApiError ? error : new BotApiError('network', String(error));
    // Once per kind of trouble: an outage of a night is not a thousand lines.
    if (fault.fault !== trouble) log.warn({ reason: fault.message }, 'no commands from Telegram for now');
    trouble = fault.fault;
    if (fault.retryAfterMs === undefined) failures += 1;
    await wait(fault.retryAfterMs ?? backoffMs(PAUSE, failures), { stop, timers: foregroundTimers });
  };

  const run = async (): Promise<void> => {
    while (!stop.aborted) {
      try {
        await poll();
        if (trouble !== undefined) log.info({}, 'Telegram answers again');
        [trouble, failures] = [undefined, 0];
      } catch (error) {
        await failed(error);
      }
    }
  };

  return { stop: () => stopping.abort(), ended: run() };
}
