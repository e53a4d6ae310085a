// The bot's ear: tells commands and presses of allowed chats from everything else, and sends the answers.

import { errorText } from '../../../errors/error-text.ts';
import type { ChatCommands } from '../../../trading/chat/commands.ts';
import type { Asker } from '../../../trading/chat/confirmations.ts';
import { shorten } from '../../../trading/notifications/fit.ts';
import type { BotApi } from './bot-api.ts';
import type { MessageSender } from './message-sender.ts';
import { type Press, type ReceivedCommand, readUpdate } from './read-update.ts';
import type { PollingLog, PollingParts } from './updates.ts';

export interface BotParts {
  readonly api: Pick<BotApi, 'answerPress'>;
  readonly sender: MessageSender;
  readonly commands: ChatCommands;
  readonly nowMs: () => number;
  readonly log: PollingLog;
}

/** A command that waited longer at Telegram is not carried out: much may have changed since. */
const MAX_COMMAND_AGE_MS = 60_000;
/** Strangers are logged once each; their number must not fill the memory. */
const MAX_STRANGERS = 1000;
/** What fits into the note above the chat. */
const MAX_POPUP_UNITS = 200;
const [YES, NO] = ['yes:', 'no:'];

export function createBot({ api, sender, commands, nowMs, log }: BotParts): PollingParts['handle'] {
  const strangers = new Set<string>();

  /** Silence for strangers, not even a refusal: nobody should learn what this bot is for. */
  const isWelcome = ({ chatId, userId }: Asker): boolean => {
    if (sender.isAllowed(chatId)) return true;
    if (!strangers.has(chatId) && strangers.size < MAX_STRANGERS) {
      strangers.add(chatId);
      log.warn({ chatId, userId }, 'a chat that is not in TELEGRAM_ALLOWED_CHATS wrote to the bot; it is ignored');
    }
    return false;
  };

  const onCommand = async (received: ReceivedCommand, waited: boolean): Promise<void> => {
    const { chatId, text, isPrivate, isForUs, sentAtMs } = received;
    if (waited && nowMs() - sentAtMs > MAX_COMMAND_AGE_MS) {
      log.warn({ chatId }, 'a command that waited too long was not carried out');
      await sender.send(chatId, {
        text: `I was away when you sent ${shorten(text, 64)}. Send it again if it still holds.`,
        parseMode: 'Plain',
      });
      return;
    }
    const reply = await commands.command(text, received);
    if (reply) {
      const { confirm: token } = reply;
      const buttons = token && [
        { label: 'Yes', data: `${YES}${token}` },
        { label: 'No', data: `${NO}${token}` },
      ];
      await sender.send(chatId, { text: reply.text, parseMode: 'HTML', buttons: buttons || undefined });
    } else if (isPrivate || isForUs) {
      // In a group it may be meant for another bot.
      await sender.send(chatId, { text: 'Unknown command; /help lists them.', parseMode: 'Plain' });
    }
  };

  const onPress = async (press: Press): Promise<void> => {
    const prefix = [YES, NO].find((candidate) => press.data.startsWith(candidate as string));
    if (prefix === undefined) return;
    const { kind, text } = commands.answer(press.data.slice(prefix.length), press, prefix === YES);
    const isOver = kind === 'confirmed' || kind === 'declined' || kind === 'expired';
    // A question that is over shows its outcome and loses its buttons; if that fails, the press itself tells it.
    const isShown = isOver && (await showOutcome(press, text));
    await api.answerPress(press.pressId, isShown ? '' : shorten(text, MAX_POPUP_UNITS));
  };

  const showOutcome = (press: Press, text: string): Promise<boolean> =>
    sender.edit(press.chatId, press.messageId, text).then(
      () => true,
      (error) => {
        lost(error, press.chatId);
        return false;
      },
    );

  const lost = (error: unknown, chatId: string): void =>
    log.warn({ chatId, reason: errorText(error) }, 'an answer did not reach its chat');

  return async (update, { botName, waited }) => {
    const read = readUpdate(update, botName);
    if (!read || !isWelcome(read)) return;
    try {
      await (read.kind === 'command' ? onCommand(read, waited) : onPress(read));
    } catch (error) {
      lost(error, read.chatId);
    }
  };
}
