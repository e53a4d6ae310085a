// Tokens where the provider did not count them: a reply that was cut off, or a server that never counts.

import type { ModelMessage, ModelRequest } from './model-provider.ts';

/** What English text and code come to in the usual vocabularies. */
const CHARS_PER_TOKEN = 4;
/** A screenshot of a chart comes to about so many with every provider. */
const TOKENS_PER_IMAGE = 1000;

export const tokensOfText = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

export function tokensOfRequest({ messages, tools }: ModelRequest): number {
  const ofMessages = messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return ofMessages + (tools.length === 0 ? 0 : tokensOfText(JSON.stringify(tools).length));
}

function tokensOfMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'tool':
      return message.results.reduce((sum, { text }) => sum + tokensOfText(text.length), 0);
    case 'assistant': {
      const requests = message.toolRequests ?? [];
      return requests.reduce(
        (sum, { argumentsJson }) => sum + tokensOfText(argumentsJson.length),
        tokensOfText(message.text.length),
      );
    }
    case 'user':
      return tokensOfText(message.text.length) + (message.image === undefined ? 0 : TOKENS_PER_IMAGE);
    case 'system':
      return tokensOfText(message.text.length);
  }
}
