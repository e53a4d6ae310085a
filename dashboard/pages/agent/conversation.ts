// A conversation with the agent: who said what, what it looked at, and how each event of an answer changes it.

import type { ServerEvent } from '../../server/ask-events.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly ms: number;
  readonly ok: boolean;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** A picture that was shown, as a data URL. */
  readonly image?: string;
  readonly tools: readonly ToolCall[];
  /** Who answered, once it is over. */
  readonly by?: string;
  readonly fault?: string;
}

export const said = (text: string, image?: string): Message => ({
  ...{ role: 'user', text, tools: [] },
  ...(image !== undefined && { image }),
});
export const EMPTY_ANSWER: Message = { role: 'assistant', text: '', tools: [] };

interface Whole {
  readonly response?: string;
  readonly analysis?: string;
  readonly model: string;
  readonly provider: string;
  readonly finishReason: string;
  readonly warnings: readonly string[];
}

/** The answer after one more event of it. */
export function withEvent(answer: Message, { event, data }: ServerEvent): Message {
  if (event === 'delta') return { ...answer, text: answer.text + (data as { text: string }).text };
  if (event === 'tool') return { ...answer, tools: [...answer.tools, data as ToolCall] };
  if (event === 'error') return { ...answer, fault: (data as { error: string }).error };
  if (event !== 'done') return answer;
  const { response, analysis, model, provider, finishReason, warnings } = data as Whole;
  const notes = [finishReason === 'length' ? 'cut off at its longest' : '', ...warnings].filter((note) => note !== '');
  return { ...answer, text: response ?? analysis ?? answer.text, by: [`${provider}, ${model}`, ...notes].join(' · ') };
}

/** What is sent along, so that the model knows what was said; pictures and failed answers are left out. */
export const toSend = (messages: readonly Message[]): readonly { readonly role: string; readonly content: string }[] =>
  messages
    .filter(({ text, fault }) => text !== '' && fault === undefined)
    .slice(-MOST_MESSAGES)
    .map(({ role, text }) => ({ role, content: text }));

/** As many as the server takes. */
const MOST_MESSAGES = 50;
