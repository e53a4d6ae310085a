// generateContent as Google speaks it.

import { event, piecesOf, type ScriptedAnswer, type WireProtocol } from './model-server.ts';

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' } as const;
const CODES: Readonly<Record<number, string>> = { 400: 'INVALID_ARGUMENT', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL' };

const usageOf = ({ tokensIn = 10, tokensOut = 5 }: ScriptedAnswer) => ({
  promptTokenCount: tokensIn,
  candidatesTokenCount: tokensOut,
  totalTokenCount: tokensIn + tokensOut,
});
const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
});
const calls = ({ tools = [] }: ScriptedAnswer) =>
  tools.map(({ name, args }) => ({ functionCall: { name, args: JSON.parse(args) } }));

const opening = (text: string): readonly string[] => piecesOf(text).map((piece) => event(candidate([{ text: piece }])));

export const googleProtocol: WireProtocol = {
  name: 'google',
  model: 'gemini-2.5-flash',
  basePath: '/v1beta',
  keyOf: (headers) => headers['x-goog-api-key'] as string | undefined,
  isPath: (path) => /^\/models\/[\w.-]+:(?:generateContent|streamGenerateContent\?alt=sse)$/.test(path),
  streams: (path) => path.includes(':streamGenerateContent'),
  whole: (answer) => ({
    ...candidate([...(answer.text ? [{ text: answer.text }] : []), ...calls(answer)], FINISH[answer.finish ?? 'stop']),
    usageMetadata: usageOf(answer),
  }),
  events: (answer) => [
    ...opening(answer.text ?? ''),
    event({ ...candidate(calls(answer), FINISH[answer.finish ?? 'stop']), usageMetadata: usageOf(answer) }),
  ],
  opening,
  error: (status, message) => ({ error: { code: status, message, status: CODES[status] ?? 'UNKNOWN' } }),
  // Google says 400 to a wrong key.
  wrongKey: { status: 400, message: 'API key not valid. Please pass a valid API key.' },
};
