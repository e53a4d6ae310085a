// The notifier port on Telegram: one message to one allowed chat.

import { type Notifier, NotifierError } from '../../../trading/notifications/notifier.ts';
import { NO_CHAT } from './chats.ts';
import type { MessageSender } from './message-sender.ts';

export interface TelegramNotifier extends Notifier {
  /** Why nothing can be sent to this chat, or to the default one; undefined where it can. */
  faultOf(chatId: string | undefined): string | undefined;
}

export function createTelegramNotifier(options: {
  sender: MessageSender;
  defaultChat: string | undefined;
}): TelegramNotifier {
  const { sender, defaultChat } = options;
  return {
    faultOf: (chatId) => sender.faultOf(chatId),
    async send({ chatId = defaultChat, ...message }) {
      if (chatId === undefined) throw new NotifierError(NO_CHAT, false);
      return { messageId: await sender.send(chatId, message) };
    },
  };
}
