// Reads one update of the Bot API, believing nothing about its shape: a command, a pressed button, or nothing for us.

import type { Asker } from '../../../trading/chat/confirmations.ts';

export interface ReceivedCommand extends Asker {
  readonly kind: 'command';
  /** Without the bot's name. */
  readonly text: string;
  readonly isPrivate: boolean;
  /** It carried the name of this bot. */
  readonly isForUs: boolean;
  readonly sentAtMs: number;
}

export interface Press extends Asker {
  readonly kind: 'press';
  readonly pressId: string;
  readonly messageId: number;
  readonly data: string;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : ({} as Fields);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;

export function readUpdate(update: unknown, botName: string): ReceivedCommand | Press | undefined {
  const { message, callback_query: press } = fieldsOf(update);
  return press === undefined ? readCommand(fieldsOf(message), botName) : readPress(fieldsOf(press));
}

const COMMAND = /^(\/[A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{1,64}))?(?=\s|$)/;

function readCommand(message: Fields, botName: string): ReceivedCommand | undefined {
  const asker = askerOf(fieldsOf(message.chat), fieldsOf(message.from));
  const text = textOf(message.text);
  const [head = '', command = '', addressee] = (text && COMMAND.exec(text)) || [];
  if (!asker || text === undefined || command === '') return undefined;
  const isForUs = addressee?.toLowerCase() === botName.toLowerCase();
  if (addressee !== undefined && !isForUs) return undefined;
  return {
    kind: 'command',
    ...asker,
    text: command + text.slice(head.length),
    isPrivate: fieldsOf(message.chat).type === 'private',
    isForUs,
    sentAtMs: (numberOf(message.date) ?? 0) * 1000,
  };
}

function readPress(press: Fields): Press | undefined {
  const message = fieldsOf(press.message);
  const asker = askerOf(fieldsOf(message.chat), fieldsOf(press.from));
  const [pressId, data, messageId] = [textOf(press.id), textOf(press.data), numberOf(message.message_id)];
  if (!asker || pressId === undefined || data === undefined || messageId === undefined) return undefined;
  return { kind: 'press', ...asker, pressId, data, messageId };
}

/** Only people: behind the bot that stands for hidden administrators of a group could be any of them. */
function askerOf(chat: Fields, from: Fields): Asker | undefined {
  const [chatId, userId] = [numberOf(chat.id), numberOf(from.id)];
  if (chatId === undefined || userId === undefined || from.is_bot === true) return undefined;
  return { chatId: String(chatId), userId: String(userId) };
}
