// Telegram both ways: messages and alarms out through one sender, commands of allowed chats in.

import { createAlarms, watchKillSwitch } from '../../../trading/chat/alarms.ts';
import type { CancelParts } from '../../../trading/chat/cancels.ts';
import type { ChangeParts, RequestedChange } from '../../../trading/chat/changes.ts';
import type { CloseParts } from '../../../trading/chat/closing.ts';
import { createChatCommands } from '../../../trading/chat/commands.ts';
import { createConfirmations } from '../../../trading/chat/confirmations.ts';
import type { TicketParts } from '../../../trading/chat/ordering.ts';
import { createRefusalNotices, type RefusalNoticeParts } from '../../../trading/chat/refusal-notices.ts';
import type { ReportParts } from '../../../trading/chat/reports.ts';
import type { ResendParts } from '../../../trading/chat/resends.ts';
import type { RestrictParts } from '../../../trading/chat/restricting.ts';
import type { Controls } from '../../../trading/intake/controls.ts';
import type { RefusedSignal } from '../../../trading/intake/refusals.ts';
import type { Restrictions } from '../../../trading/intake/restrictions.ts';
import type { OnAlarm } from '../../../trading/notifications/alarm.ts';
import type { Notifier } from '../../../trading/notifications/notifier.ts';
import { againButton, Bot } from './bot.ts';
import { createBotApi } from './bot-api.ts';
import { createChats } from './chats.ts';
import { createMessageSender } from './message-sender.ts';
import { createTelegramNotifier, type TelegramNotifier } from './notifier.ts';
import { createPacing } from './pacing.ts';
import { type Polling, type PollingLog, startPolling } from './updates.ts';

export interface TelegramOptions {
  readonly token: string;
  readonly apiRoot: string;
  /** Counts as allowed, and is told outcomes and alarms. */
  readonly defaultChat: string | undefined;
  readonly allowedChats: readonly string[];
  readonly controls: Controls;
  readonly restrictions: Restrictions;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly randomBytes: (count: number) => Buffer;
  readonly log: PollingLog;
}

export interface Telegram {
  readonly notifier: TelegramNotifier;
  /** Who is told every outcome; undefined without a default chat. */
  readonly ownerChat: string | undefined;
  readonly onAlarm: OnAlarm;
  /** Trouble as the log tells it, for the owner's chat. */
  onTrouble(what: string, error: unknown): void;
  /** Told to the owner's chat, as soon as commands are taken: the answer is one. */
  onRefusal(refused: RefusedSignal): void;
  /** From now on commands are taken. */
  listen(
    parts: Omit<ReportParts, 'controls'> &
      CancelParts &
      CloseParts &
      ResendParts &
      RestrictParts &
      TicketParts &
      Pick<ChangeParts, 'protections'> &
      Pick<RefusalNoticeParts, 'journal'>,
  ): void;
  /** Takes no further command, at once. Messages still leave. */
  deafen(): void;
  close(): Promise<void>;
}

const actorOf = (chatId: string): string => `telegram:${chatId}`;

export function openTelegram(options: TelegramOptions): Telegram {
  const { token, apiRoot, defaultChat, controls, nowMs, monotonicMs, log } = options;
  const api = createBotApi({ token, apiRoot });
  const sender = createMessageSender({ api, pacing: createPacing({ monotonicMs }), chats: createChats(options) });
  const notifier = createTelegramNotifier({ sender, defaultChat });
  const alarms = defaultChat === undefined ? undefined : ownerAlarms(options, defaultChat, notifier);
  let polling: Polling | undefined;
  let tellRefusal: ReturnType<typeof createRefusalNotices> | undefined;
  return {
    notifier,
    ownerChat: defaultChat,
    onAlarm: (kind, text) => alarms?.raise(kind, text),
    onTrouble: (what, error) => alarms?.trouble(what, error),
    onRefusal: (refused) => void tellRefusal?.(refused),
    listen(parts) {
      tellRefusal = createRefusalNotices({
        ...{ journal: parts.journal, monotonicMs },
        send: async (text, resendable) => {
          const buttons = resendable === undefined ? undefined : [againButton(resendable)];
          if (defaultChat !== undefined) await sender.send(defaultChat, { text, parseMode: 'Plain', buttons });
        },
        onLost: (error, text) => log.warn({ err: error, text }, 'a refusal did not reach the chat'),
      });
      const confirmations = createConfirmations<RequestedChange>({ monotonicMs, randomBytes: options.randomBytes });
      const commands = createChatCommands({ ...parts, controls, confirmations, actorOf });
      const bot = new Bot({ api, sender, commands, nowMs, log });
      polling ??= startPolling({ api, handle: (update, context) => bot.handle(update, context), monotonicMs, log });
    },
    deafen: () => polling?.stop(),
    async close() {
      polling?.stop();
      await api.close();
      await polling?.ended;
    },
  };
}

function ownerAlarms(options: TelegramOptions, ownerChat: string, notifier: Notifier) {
  const { controls, restrictions, monotonicMs, log } = options;
  const alarms = createAlarms({
    send: (text) => notifier.send({ text, parseMode: 'Plain' }),
    monotonicMs,
    onLost: (error, text) => log.warn({ err: error, text }, 'an alarm did not reach the chat'),
  });
  watchKillSwitch({ controls, restrictions, tell: alarms.tell, ownActor: actorOf(ownerChat) });
  return alarms;
}
