// The Messages API as Anthropic speaks it.

import { event, piecesOf, type ScriptedAnswer, type WireProtocol } from './model-server.ts';

const FINISH = { stop: 'end_turn', length: 'max_tokens', refused: 'refusal' } as const;
const finishOf = ({ finish = 'stop', tools }: ScriptedAnswer): string => (tools?.length ? 'tool_use' : FINISH[finish]);
const named = (data: { readonly type: string; readonly [field: string]: unknown }): string => event(data, data.type);
const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: 'served-model', stop_sequence: null };

const start = ({ tokensIn = 10 }: ScriptedAnswer = {}): string =>
  named({
    type: 'message_start',
    message: { ...HEAD, content: [], stop_reason: null, usage: { input_tokens: tokensIn, output_tokens: 1 } },
  });

const textEvents = (text: string): readonly string[] => [
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ...piecesOf(text).map((piece) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
  ),
];
const stop = (index: number): string => named({ type: 'content_block_stop', index });

export const anthropicProtocol: WireProtocol = {
  name: 'anthropic',
  model: 'claude-sonnet-4-5',
  basePath: '/v1',
  keyOf: (headers) => headers['x-api-key'] as string | undefined,
  isPath: (path) => path === '/messages',
  streams: (_, { stream }) => stream === true,
  whole: (answer) => ({
    ...HEAD,
    content: [
      ...(answer.text ? [{ type: 'text', text: answer.text }] : []),
      ...(answer.tools ?? []).map(({ name, args }, index) => ({
        type: 'tool_use',
        id: `toolu_${index}`,
        name,
        input: JSON.parse(args),
      })),
    ],
    stop_reason: finishOf(answer),
    usage: { input_tokens: answer.tokensIn ?? 10, output_tokens: answer.tokensOut ?? 5 },
  }),
  events: (answer) => [
    start(answer),
    ...(answer.text ? [...textEvents(answer.text), stop(0)] : []),
    ...(answer.tools ?? []).flatMap(({ name, args }, at) => {
      const index = at + 1;
      const block = { type: 'tool_use', id: `toolu_${at}`, name, input: {} };
      return [
        named({ type: 'content_block_start', index, content_block: block }),
        named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } }),
        stop(index),
      ];
    }),
    named({
      type: 'message_delta',
      delta: { stop_reason: finishOf(answer), stop_sequence: null },
      usage: { output_tokens: answer.tokensOut ?? 5 },
    }),
    named({ type: 'message_stop' }),
  ],
  opening: (text) => [start(), ...textEvents(text)],
  error: (status, message, code) => ({ type: 'error', error: { type: code ?? `error_${status}`, message } }),
  wrongKey: { status: 401, message: 'invalid x-api-key' },
};
