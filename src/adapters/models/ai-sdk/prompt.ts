// Our conversation as the AI SDK wants it: nothing is cut, merged or added on the way.

import type { ModelMessage, ModelRequest, ProviderName, ToolRequest } from '../../../agent/model-provider.ts';
import type { AssistantContent, CallOptions, Prompt, PromptMessage } from './language-model.ts';

export function callOptions(request: ModelRequest, provider: ProviderName, signal: AbortSignal): CallOptions {
  const { messages, temperature, maxTokens, tools } = request;
  return {
    prompt: promptOf(messages, provider),
    abortSignal: signal,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function' as const, ...tool })) }),
  };
}

const promptOf = (messages: readonly ModelMessage[], provider: ProviderName): Prompt =>
  messages.map((message) => promptMessage(message, provider));

function promptMessage(message: ModelMessage, provider: ProviderName): PromptMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user': {
      const { text, image } = message;
      const file = image && {
        type: 'file' as const,
        mediaType: image.mediaType,
        data: { type: 'data' as const, data: image.bytes },
      };
      return { role: 'user', content: [{ type: 'text', text }, ...(file ? [file] : [])] };
    }
    case 'assistant': {
      // A provider gets its own reply back as it was; another gets what was said and asked for.
      if (message.origin?.provider === provider)
        return { role: 'assistant', content: message.origin.content as AssistantContent };
      return { role: 'assistant', content: plainContent(message.text, message.toolRequests ?? []) };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ id, name, text, failed }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          output: { type: failed ? 'error-text' : 'text', value: text },
        })),
      };
  }
}

const plainContent = (text: string, requests: readonly ToolRequest[]): AssistantContent => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...requests.map(({ id, name, argumentsJson }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: objectOf(argumentsJson),
  })),
];

/** Providers take objects only; what was none is told apart in the result of the call. */
export function objectOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
