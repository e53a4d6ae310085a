// The console notifier: until a chat is configured, notifications are lines in the log, and none of them counts as sent.

import { type Notifier, NotifierError } from '../../trading/notifications/notifier.ts';

export function createConsoleNotifier(write: (line: { chatId: string; text: string }) => void): Notifier {
  return {
    async send({ chatId, text }) {
      write({ chatId: chatId ?? 'default', text });
      throw new NotifierError('there is no Telegram bot, the log has the text; set TELEGRAM_BOT_TOKEN', false);
    },
  };
}
