// The notifier port on Telegram: one message to one allowed chat.

import { type Notifier, NotifierError } from '../../../trading/notifier.ts';
import type { Outlet } from './outlet.ts';

const NO_CHAT = 'no chat: set TELEGRAM_DEFAULT_CHAT, or give a chatId';

export interface TelegramNotifier extends Notifier {
  /** Why nothing can be sent to this chat, or to the default one; undefined where it can. */
  faultOf(chatId: string | undefined): string | undefined;
}

export function createTelegramNotifier(options: { outlet: Outlet; defaultChat: string | undefined }): TelegramNotifier {
  const { outlet, defaultChat } = options;
  return {
    faultOf: (chatId = defaultChat) => (chatId === undefined ? NO_CHAT : outlet.faultOf(chatId)),
    async send({ chatId = defaultChat, ...letter }) {
      if (chatId === undefined) throw new NotifierError(NO_CHAT, false);
      return { messageId: await outlet.send(chatId, letter) };
    },
  };
}
