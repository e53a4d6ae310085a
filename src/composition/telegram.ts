// Connects the Telegram bot, where one is set.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import type { Controls } from '../trading/intake/controls.ts';
import type { Restrictions } from '../trading/intake/restrictions.ts';
import { monotonicMs, nowMs } from './clocks.ts';

interface TelegramParts {
  readonly config: Pick<Config, 'telegram'>;
  readonly controls: Controls;
  readonly restrictions: Restrictions;
  readonly log: Log;
}

/** Loaded only when there is a bot: nobody else pays for it. */
export async function connectTelegram(parts: TelegramParts) {
  const { config, controls, restrictions, log } = parts;
  const { token, ...chats } = config.telegram;
  if (token === undefined) return undefined;
  const { openTelegram } = await import('../adapters/notifiers/telegram/index.ts');
  return openTelegram({ token, ...chats, controls, restrictions, nowMs, monotonicMs, randomBytes, log });
}
