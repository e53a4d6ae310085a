// Connects the Telegram bot, where one is set.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import type { Controls, SettingsStore } from '../trading/intake/controls.ts';
import { monotonicMs, nowMs } from './clocks.ts';

/** Loaded only when there is a bot: nobody else pays for it. */
export async function connectTelegram({ telegram }: Config, controls: Controls, settings: SettingsStore, log: Log) {
  const { token, ...chats } = telegram;
  if (token === undefined) return undefined;
  const { openTelegram } = await import('../adapters/notifiers/telegram/index.ts');
  return openTelegram({ token, ...chats, controls, settings, nowMs, monotonicMs, randomBytes, log });
}
