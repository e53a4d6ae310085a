// Talking to the bot as a person does: say something, wait for the answer, press a button.

import type { Sayer } from '../support/bot-api-server.ts';
import { eventually } from '../webhook/answers.ts';
import { type Chat, openChat } from './open-chat.ts';

/** A chat takes few messages at once, so every test has its own. */
export const CHATS = Array.from({ length: 200 }, (_, index) => 1000 + index);
let next = 0;
/** Files share what is loaded: the chats of a file that has ended are free again. */
export const freshChat = (): number => CHATS[next++ % CHATS.length] as number;
export const openBot = (): Promise<Chat> => openChat({ allowedChats: CHATS.map(String), listen: true });

export const messagesIn = (chat: Chat, chatId: number) =>
  chat.botApi.messages.filter((message) => message.chatId === String(chatId));

/** Says something in a chat of its own and waits for the answer. */
export async function ask(chat: Chat, text: string, from: Partial<Sayer> = {}) {
  const chatId = from.chatId ?? freshChat();
  const before = messagesIn(chat, chatId).length;
  chat.botApi.say(text, { ...from, chatId });
  await eventually(
    () => messagesIn(chat, chatId).length,
    (count) => count > before,
  );
  const answer = messagesIn(chat, chatId).at(-1);
  if (!answer) throw new Error('no answer');
  return { ...answer, chatId };
}

export const pressesOf = (chat: Chat) => chat.botApi.calls.filter(({ method }) => method === 'answerCallbackQuery');

/** Presses a button of a question and waits until the press is answered; returns what the question then shows. */
export async function press(
  chat: Chat,
  question: Awaited<ReturnType<typeof ask>>,
  label: 'Yes' | 'No',
  from: Partial<Sayer> = {},
) {
  const before = pressesOf(chat).length;
  const data = question.buttons.find((button) => button.text === label)?.callback_data as string;
  chat.botApi.press(data, { chatId: question.chatId, messageId: question.messageId, ...from });
  await eventually(
    () => pressesOf(chat).length,
    (count) => count > before,
  );
  return {
    shown: messagesIn(chat, question.chatId).find(({ messageId }) => messageId === question.messageId),
    popup: pressesOf(chat).at(-1)?.payload.text as string,
  };
}
