// What the bot does with what people send it: carries out commands and presses of allowed chats, and ignores the rest.

import { errorText } from '../../../errors/error-text.ts';
import type { ChatCommands } from '../../../trading/chat/commands.ts';
import type { Asker, Reply } from '../../../trading/chat/confirmations.ts';
import { shorten } from '../../../trading/notifications/fit.ts';
import type { BotApi } from './bot-api.ts';
import type { MessageSender } from './message-sender.ts';
import { type Press, type ReceivedCommand, readUpdate } from './read-update.ts';
import type { PollingLog, UpdateContext } from './updates.ts';

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
const AGAIN = 'again:';

/** Below the notice of a refused signal; a press asks first, as the command does. */
export const againButton = (refusalId: string) => ({ label: 'Send again', data: `${AGAIN}${refusalId}` });

export class Bot {
  readonly #parts: BotParts;
  /** Chats that are not allowed and have been logged. */
  readonly #strangers = new Set<string>();

  constructor(parts: BotParts) {
    this.#parts = parts;
  }

  async handle(update: unknown, { botName, waited }: UpdateContext): Promise<void> {
    const read = readUpdate(update, botName);
    if (!read || !this.#isWelcome(read)) return;
    try {
      await (read.kind === 'command' ? this.#carryOut(read, waited) : this.#answer(read));
    } catch (error) {
      this.#tellLost(error, read.chatId);
    }
  }

  /** Strangers get no answer, not even a refusal: nobody should learn what this bot is for. */
  #isWelcome({ chatId, userId }: Asker): boolean {
    const { sender, log } = this.#parts;
    if (sender.isAllowed(chatId)) return true;
    if (!this.#strangers.has(chatId) && this.#strangers.size < MAX_STRANGERS) {
      this.#strangers.add(chatId);
      log.warn({ chatId, userId }, 'a chat that is not in TELEGRAM_ALLOWED_CHATS wrote to the bot; it is ignored');
    }
    return false;
  }

  async #carryOut(received: ReceivedCommand, waited: boolean): Promise<void> {
    const { sender, commands, nowMs, log } = this.#parts;
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
    if (reply) await this.#reply(chatId, reply);
    else if (isPrivate || isForUs) {
      // In a group it may be meant for another bot.
      await sender.send(chatId, { text: 'Unknown command; /help lists them.', parseMode: 'Plain' });
    }
  }

  async #reply(chatId: string, { text, confirm: token }: Reply): Promise<void> {
    const buttons = token && [
      { label: 'Yes', data: `${YES}${token}` },
      { label: 'No', data: `${NO}${token}` },
    ];
    await this.#parts.sender.send(chatId, { text, parseMode: 'HTML', buttons: buttons || undefined });
  }

  /** A press of one of the buttons under a question, or of the one under the notice of a refused signal. */
  async #answer(press: Press): Promise<void> {
    const { api, commands } = this.#parts;
    if (press.data.startsWith(AGAIN)) {
      await api.answerPress(press.pressId, '');
      const reply = await commands.command(`/resend ${press.data.slice(AGAIN.length)}`, press);
      if (reply) await this.#reply(press.chatId, reply);
      return;
    }
    const prefix = [YES, NO].find((candidate) => press.data.startsWith(candidate as string));
    if (prefix === undefined) return;
    const { kind, text } = await commands.answer(press.data.slice(prefix.length), press, prefix === YES);
    const isOver = kind === 'confirmed' || kind === 'declined' || kind === 'expired';
    // A question that is over shows its outcome and loses its buttons; if that fails, the press itself tells it.
    const isShown = isOver && (await this.#showOutcome(press, text));
    await api.answerPress(press.pressId, isShown ? '' : shorten(text, MAX_POPUP_UNITS));
  }

  async #showOutcome({ chatId, messageId }: Press, text: string): Promise<boolean> {
    try {
      await this.#parts.sender.edit(chatId, messageId, text);
      return true;
    } catch (error) {
      this.#tellLost(error, chatId);
      return false;
    }
  }

  #tellLost(error: unknown, chatId: string): void {
    this.#parts.log.warn({ chatId, reason: errorText(error) }, 'an answer did not reach its chat');
  }
}
