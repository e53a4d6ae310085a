// The one way out to Telegram: whatever leaves goes to an allowed chat, at Telegram's pace, and fits into a message.

import { fitMessage } from '../../../trading/notifications/fit.ts';
import { NotifierError } from '../../../trading/notifications/notifier.ts';
import type { ParseMode } from '../../../trading/signal.ts';
import { type BotApi, BotApiError, type OutgoingMessage } from './bot-api.ts';
import type { Chats } from './chats.ts';
import type { Pacing } from './pacing.ts';

export interface MessageSender extends Chats {
  /** Resolves with the chat's number of the message. A text whose markup cannot be read is sent once more as it stands. */
  send(chatId: string, message: TelegramMessage): Promise<number>;
  edit(chatId: string, messageId: number, html: string): Promise<void>;
}

export interface TelegramMessage extends Pick<OutgoingMessage, 'text' | 'buttons'> {
  readonly parseMode: ParseMode;
  readonly plainText?: string;
}

export function createMessageSender(options: { api: BotApi; pacing: Pacing; chats: Chats }): MessageSender {
  const { api, pacing, chats } = options;
  const { isAllowed, faultOf } = chats;

  const paced = async <T>(chatId: string, call: () => Promise<T>): Promise<T> => {
    // Looked at here and nowhere later, so that no road leads around it.
    const fault = faultOf(chatId);
    if (fault !== undefined) throw new NotifierError(fault, false);
    await pacing.turn(chatId);
    try {
      return await call();
    } catch (error) {
      if (error instanceof BotApiError && error.fault === 'busy') pacing.hold(chatId, error.retryAfterMs ?? 0);
      throw error;
    }
  };

  const sendAs = (
    chatId: string,
    text: string,
    parseMode: ParseMode,
    { buttons }: TelegramMessage,
  ): Promise<number> => {
    const mode = parseMode === 'Plain' ? {} : { parseMode };
    return paced(chatId, () => api.sendMessage(chatId, { text: fitMessage(text, parseMode), buttons, ...mode }));
  };

  return {
    isAllowed,
    faultOf,
    async send(chatId, message) {
      const { text, parseMode, plainText = text } = message;
      try {
        return await sendAs(chatId, text, parseMode, message);
      } catch (error) {
        if (!(error instanceof BotApiError) || error.fault !== 'markup' || parseMode === 'Plain') throw error;
        return sendAs(chatId, plainText, 'Plain', message);
      }
    },
    edit: (chatId, messageId, html) =>
      paced(chatId, () => api.editMessage(chatId, messageId, { text: fitMessage(html, 'HTML'), parseMode: 'HTML' })),
  };
}
