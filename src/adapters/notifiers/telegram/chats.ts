// Which chats may be written to, by the settings alone: nothing is asked of Telegram.

export interface ChatSettings {
  readonly defaultChat: string | undefined;
  readonly allowedChats: readonly string[];
}

export interface Chats {
  isAllowed(chatId: string): boolean;
  /** Why nothing can be sent to this chat, or to the default one, with the remedy; undefined where it can. */
  faultOf(chatId: string | undefined): string | undefined;
}

export const NO_CHAT = 'no chat: set TELEGRAM_DEFAULT_CHAT, or give a chatId';

/** Names are the same in any case; a number has one spelling, and another one is another chat. */
const spelled = (chatId: string): string => (chatId.startsWith('@') ? chatId.toLowerCase() : chatId);

export function createChats({ defaultChat, allowedChats }: ChatSettings): Chats {
  const allowed = new Set([...(defaultChat === undefined ? [] : [defaultChat]), ...allowedChats].map(spelled));
  const isAllowed = (chatId: string): boolean => allowed.has(spelled(chatId));
  return {
    isAllowed,
    faultOf(chatId = defaultChat) {
      if (chatId === undefined) return NO_CHAT;
      if (isAllowed(chatId)) return undefined;
      return `chat ${JSON.stringify(chatId)} is not allowed; add it to TELEGRAM_ALLOWED_CHATS if it is yours`;
    },
  };
}
