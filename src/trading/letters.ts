// From stored messages to what is really sent: one chat message or two for one, or one for many outcomes at once.

import { MAX_MESSAGE_UNITS } from './chat/fit.ts';
import { fillTemplate } from './chat/template.ts';
import type { ChatMessage } from './notifier.ts';
import type { NotifyMessage, StoredMessage } from './outbox.ts';

/** Stored messages that are delivered together, and what is sent for them. The sender hears about the first letter. */
export interface Parcel {
  readonly stored: readonly StoredMessage[];
  readonly letters: readonly ChatMessage[];
}

/** Messages to one chat leave one after the other; the empty text stands for the default chat. */
export const chatOf = ({ message }: StoredMessage): string =>
  message.kind === 'notify' ? (message.notify.chatId ?? '') : '';

export function parcelOf(stored: StoredMessage): Parcel {
  const { message } = stored;
  const toOwner: ChatMessage = { text: message.summary, parseMode: 'Plain' };
  if (message.kind === 'outcome') return { stored: [stored], letters: [toOwner] };
  const letter = notifyLetter(message);
  return { stored: [stored], letters: message.tellOwner ? [letter, toOwner] : [letter] };
}

/** Takes the next parcel off the line: a backlog of outcomes shares messages, or a chat would be hours behind. */
export function nextParcel(line: StoredMessage[]): Parcel {
  const first = line.shift() as StoredMessage;
  if (first.message.kind !== 'outcome') return parcelOf(first);
  const stored = [first];
  let text = first.message.summary;
  for (let next = line[0]; next?.message.kind === 'outcome'; next = line[0]) {
    const longer = `${text}\n${next.message.summary}`;
    if (longer.length > MAX_MESSAGE_UNITS) break;
    text = longer;
    stored.push(line.shift() as StoredMessage);
  }
  return { stored, letters: [{ text, parseMode: 'Plain' }] };
}

function notifyLetter({ notify, summary, values }: NotifyMessage): ChatMessage {
  const { chatId, message, parseMode } = notify;
  if (message === undefined) return { chatId, text: summary, parseMode: 'Plain' };
  if (values === undefined) return { chatId, text: message, parseMode };
  const text = fillTemplate(message, values, parseMode);
  if (parseMode === 'Plain') return { chatId, text, parseMode };
  return { chatId, text, parseMode, plainText: fillTemplate(message, values, 'Plain') };
}
