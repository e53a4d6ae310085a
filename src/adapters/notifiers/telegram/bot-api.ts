// The Bot API as far as we use it: one call each, a time limit on all of them, and failures told apart in our own words.
//
// grammY's errors carry the address of the request, and the bot's token is part of that address. So none of them leaves
// this file: every failure becomes a BotApiError whose text holds nothing that was not chosen here.

import { setImmediate } from 'node:timers/promises';
import { Api, GrammyError, HttpError } from 'grammy';
import { NotifierError } from '../../../trading/notifications/notifier.ts';

/**
 * - `network`: no answer, or one that makes no sense; trying again may help.
 * - `busy`: too many messages; wait as long as it says.
 * - `markup`: the text could not be read in its parse mode.
 * - `token`: the token is not accepted; trying again helps once the owner has mended it.
 * - `conflict`: somebody else reads this bot's updates.
 * - `refused`: the chat does not take this message, now or later.
 */
export type BotApiFault = 'network' | 'busy' | 'markup' | 'token' | 'conflict' | 'refused';

export class BotApiError extends NotifierError {
  readonly fault: BotApiFault;
  constructor(fault: BotApiFault, message: string, retryAfterMs?: number) {
    super(message, fault !== 'markup' && fault !== 'refused', retryAfterMs);
    this.name = 'BotApiError';
    this.fault = fault;
  }
}

export interface OutgoingMessage {
  readonly text: string;
  readonly parseMode?: 'HTML' | 'Markdown' | 'MarkdownV2';
  /** One row of buttons. */
  readonly buttons?: readonly { readonly label: string; readonly data: string }[];
}

export interface BotApi {
  /** The bot's own user name. */
  me(): Promise<string>;
  /** Resolves with the chat's number of the message. */
  sendMessage(chatId: string, message: OutgoingMessage): Promise<number>;
  /** Replaces a message and takes its buttons away. */
  editMessage(chatId: string, messageId: number, message: OutgoingMessage): Promise<void>;
  /** Ends the waiting sign on a pressed button. */
  answerPress(pressId: string, text: string): Promise<void>;
  /** What people sent to the bot since `offset`; waits up to `waitS` seconds for the first. */
  updates(offset: number, waitS: number, stop: AbortSignal): Promise<readonly unknown[]>;
  /** Ends every call under way. */
  close(): Promise<void>;
}

/** Past this nobody waits for a call: the message is sent again later. */
const CALL_TIMEOUT_S = 10;
/** On top of the time a poll may wait on purpose. */
const POLL_GRACE_S = 10;
export const LONG_POLL_S = 25;
/** A hundred updates of the longest texts stay far below it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_UPDATES = 100;
const DEFAULT_RETRY_AFTER_S = 5;
const MAX_RETRY_AFTER_S = 86_400;
const MAX_DESCRIPTION_CHARS = 300;

type Signal = Parameters<Api['getMe']>[0];

export function createBotApi(options: { token: string; apiRoot: string }): BotApi {
  const { token, apiRoot } = options;
  // A redirect would carry the token to wherever it points.
  const baseFetchConfig = { redirect: 'error' as const, size: MAX_ANSWER_BYTES };
  const calls = new Api(token, { apiRoot, timeoutSeconds: CALL_TIMEOUT_S, baseFetchConfig });
  const polls = new Api(token, { apiRoot, timeoutSeconds: LONG_POLL_S + POLL_GRACE_S, baseFetchConfig });
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  const call = async <T>(work: (stop: Signal) => Promise<T>, stop: AbortSignal = closing.signal): Promise<T> => {
    if (stop.aborted) throw new BotApiError('network', 'Signalbox is stopping');
    const running = work(stop as unknown as Signal);
    underWay.add(running);
    try {
      return await running;
    } catch (error) {
      throw asBotApiError(error, token);
    } finally {
      underWay.delete(running);
    }
  };

  return {
    async me() {
      const { username } = await call((stop) => calls.getMe(stop));
      if (typeof username !== 'string') throw senseless();
      return username;
    },
    async sendMessage(chatId, { text, parseMode, buttons }) {
      const keyboard = buttons?.map(({ label, data }) => ({ text: label, callback_data: data }));
      const extra = {
        ...(parseMode ? { parse_mode: parseMode } : {}),
        ...(keyboard ? { reply_markup: { inline_keyboard: [keyboard] } } : {}),
      };
      const sent = await call((stop) => calls.sendMessage(chatId, text.toWellFormed(), extra, stop));
      if (!Number.isSafeInteger(sent?.message_id)) throw senseless();
      return sent.message_id;
    },
    async editMessage(chatId, messageId, { text, parseMode }) {
      const extra = parseMode ? { parse_mode: parseMode } : {};
      await call((stop) => calls.editMessageText(chatId, messageId, text.toWellFormed(), extra, stop));
    },
    async answerPress(pressId, text) {
      await call((stop) => calls.answerCallbackQuery(pressId, { text }, stop));
    },
    async updates(offset, waitS, stop) {
      const wanted = {
        offset,
        timeout: waitS,
        limit: MAX_UPDATES,
        allowed_updates: ['message', 'callback_query'] as const,
      };
      const found: unknown = await call((signal) => polls.getUpdates(wanted, signal), stop);
      if (!Array.isArray(found)) throw senseless();
      return found;
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...underWay]);
      // Whoever waited for them gets to act on it before the next part of the program is closed.
      await setImmediate();
    },
  };
}

const senseless = (): BotApiError =>
  new BotApiError('network', 'the Bot API gave an answer that makes no sense; check TELEGRAM_API_ROOT');

function asBotApiError(error: unknown, token: string): BotApiError {
  if (error instanceof BotApiError) return error;
  if (error instanceof GrammyError) return refusalOf(error, token);
  if (!(error instanceof HttpError)) return senseless();
  const code = (error.error as { code?: unknown; type?: unknown } | undefined) ?? {};
  const name = [code.code, code.type].find((part) => typeof part === 'string' && /^[A-Za-z_-]{1,40}$/.test(part));
  return new BotApiError('network', `the Bot API did not answer${name === undefined ? ' in time' : ` (${name})`}`);
}

const PARSE_FAULT = /can't parse entities|can't find end|unsupported start tag/i;

function refusalOf({ error_code: code, description, parameters }: GrammyError, token: string): BotApiError {
  const words = String(description).replaceAll(token, '***').slice(0, MAX_DESCRIPTION_CHARS);
  if (code === 429) {
    const askedS = Number(parameters?.retry_after);
    const waitS = askedS >= 0 ? Math.min(askedS, MAX_RETRY_AFTER_S) : DEFAULT_RETRY_AFTER_S;
    return new BotApiError('busy', `Telegram asks to wait ${waitS} s`, waitS * 1000);
  }
  if (code === 401 || code === 404) {
    return new BotApiError('token', 'Telegram does not accept the bot token; copy it again from @BotFather');
  }
  if (code === 409) return new BotApiError('conflict', conflict(words));
  if (code === 400 && PARSE_FAULT.test(words)) return new BotApiError('markup', words);
  if (code === 400 || code === 403) return new BotApiError('refused', `${words}${remedy(words, parameters)}`);
  return new BotApiError('network', `the Bot API failed: ${code} ${words}`);
}

const conflict = (words: string): string =>
  words.includes('webhook')
    ? 'this bot has a webhook, so it gets no commands here; remove it (deleteWebhook) or use another bot'
    : 'another program reads the commands of this bot; stop it, or give each program a bot of its own';

function remedy(words: string, parameters: GrammyError['parameters'] | undefined): string {
  const movedTo = parameters?.migrate_to_chat_id;
  if (typeof movedTo === 'number')
    return `; the group is now ${movedTo}: use that id in the settings and in notify.chatId`;
  if (/chat not found/i.test(words)) return '; open the bot and send /start, or add it to the group';
  if (/blocked|kicked|not a member|deactivated/i.test(words)) return '; unblock the bot or add it again';
  return '';
}
