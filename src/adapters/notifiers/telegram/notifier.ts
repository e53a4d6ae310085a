// The notifier port on Telegram: one message to one allowed chat.

import { type Notifier, NotifierError } from '../../../trading/notifier.ts';
import type { Outlet } from './outlet.ts';

export function createTelegramNotifier(options: { outlet: Outlet; defaultChat: string | undefined }): Notifier {
  const { outlet, defaultChat } = options;
  return {
    async send({ chatId = defaultChat, ...letter }) {
      if (chatId === undefined) {
        throw new NotifierError('no chat: set TELEGRAM_DEFAULT_CHAT, or give notify a chatId', false);
      }
      return { messageId: await outlet.send(chatId, letter) };
    },
  };
}
