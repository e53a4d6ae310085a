// Chat Completions as OpenAI speaks it, and as every compatible server does.

import { event, piecesOf, type ScriptedAnswer, type WireProtocol } from './model-server.ts';

const FINISH = { stop: 'stop', length: 'length', refused: 'content_filter' } as const;

const finishOf = ({ finish = 'stop', tools }: ScriptedAnswer): string =>
  tools?.length ? 'tool_calls' : FINISH[finish];
const usageOf = ({ tokensIn = 10, tokensOut = 5 }: ScriptedAnswer) => ({
  prompt_tokens: tokensIn,
  completion_tokens: tokensOut,
  total_tokens: tokensIn + tokensOut,
});
const HEAD = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'served-model' };
const toolCall = ({ name, args }: { name: string; args: string }, index: number) => ({
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: args },
});
const chunk = (delta: object, finish: string | null = null): string =>
  event({ ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });

const opening = (text: string): readonly string[] => [
  chunk({ role: 'assistant', content: '' }),
  ...piecesOf(text).map((content) => chunk({ content })),
];

const speak = (name: 'openai' | 'local', model: string): WireProtocol => ({
  name,
  model,
  basePath: '/v1',
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ''),
  isPath: (path) => path === '/chat/completions',
  streams: (_, { stream }) => stream === true,
  whole: (answer) => ({
    ...HEAD,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          ...(answer.tools && { tool_calls: answer.tools.map(toolCall) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    ...(answer.counts !== false && { usage: usageOf(answer) }),
  }),
  events: (answer) => [
    ...opening(answer.text ?? ''),
    ...(answer.tools ?? []).map((tool, index) => chunk({ tool_calls: [{ index, ...toolCall(tool, index) }] })),
    chunk({}, finishOf(answer)),
    ...(answer.counts === false
      ? []
      : [event({ ...HEAD, object: 'chat.completion.chunk', choices: [], usage: usageOf(answer) })]),
    event('[DONE]'),
  ],
  opening,
  error: (status, message, code) => ({ error: { message, type: `error_${status}`, param: null, code: code ?? null } }),
  wrongKey: { status: 401, message: 'Incorrect API key provided: sk-wro***key.' },
});

export const openaiProtocol = speak('openai', 'gpt-4.1-mini');
export const localProtocol = speak('local', 'llama3.1:8b');
