// From stored messages to what is really sent: one chat message or two for one, or one for many outcomes at once.

import type { NotifyMessage, StoredMessage } from '../books/outbox.ts';
import { MAX_MESSAGE_UNITS } from './fit.ts';
import type { ChatMessage } from './notifier.ts';
import { fillTemplate } from './template.ts';

/** Stored messages that are delivered together, and what is sent for them. The sender of the signal hears about the first of them. */
export interface ChatDelivery {
  readonly stored: readonly StoredMessage[];
  readonly chatMessages: readonly ChatMessage[];
}

/** Messages to one chat leave one after the other; the empty text stands for the default chat. */
export const chatOf = ({ message }: StoredMessage): string =>
  message.kind === 'notify' ? (message.notify.chatId ?? '') : '';

export function deliveryOf(stored: StoredMessage): ChatDelivery {
  const { message } = stored;
  const toOwner: ChatMessage = { text: message.summary, parseMode: 'Plain' };
  if (message.kind !== 'notify') return { stored: [stored], chatMessages: [toOwner] };
  const chatMessage = notifyText(message);
  return { stored: [stored], chatMessages: message.tellOwner ? [chatMessage, toOwner] : [chatMessage] };
}

/** Takes the next delivery off the queue: a backlog of outcomes shares messages, or a chat would be hours behind. */
export function nextDelivery(queue: StoredMessage[]): ChatDelivery {
  const first = queue.shift() as StoredMessage;
  if (first.message.kind !== 'outcome') return deliveryOf(first);
  const stored = [first];
  let text = first.message.summary;
  for (let next = queue[0]; next?.message.kind === 'outcome'; next = queue[0]) {
    const longer = `${text}\n${next.message.summary}`;
    if (longer.length > MAX_MESSAGE_UNITS) break;
    text = longer;
    stored.push(queue.shift() as StoredMessage);
  }
  return { stored, chatMessages: [{ text, parseMode: 'Plain' }] };
}

function notifyText({ notify, summary, values }: NotifyMessage): ChatMessage {
  const { chatId, message, parseMode } = notify;
  if (message === undefined) return { chatId, text: summary, parseMode: 'Plain' };
  if (values === undefined) return { chatId, text: message, parseMode };
  const text = fillTemplate(message, values, parseMode);
  if (parseMode === 'Plain') return { chatId, text, parseMode };
  return { chatId, text, parseMode, plainText: fillTemplate(message, values, 'Plain') };
}
