// The console notifier: until a chat is configured, notifications are lines in the log.

import type { Notifier } from '../../trading/notifier.ts';

export function createConsoleNotifier(write: (line: { chatId: string; text: string }) => void): Notifier {
  return {
    async send({ chatId, text }) {
      write({ chatId: chatId ?? 'default', text });
      // A log line has no number in any chat.
      return { messageId: null };
    },
  };
}
