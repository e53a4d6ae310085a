// The routes of /agent, described once for /openapi.json and /docs.

import type { RouteDoc } from '../../http/openapi.ts';
import {
  agentStatusSchema,
  agentUsageSchema,
  chatAnswerSchema,
  chatSchema,
  visionAnswerSchema,
  visionSchema,
} from './agent-schemas.ts';
import { errorSchema } from './schemas.ts';

const refused = (description: string) => ({ description, schema: errorSchema });

const ASKED_RESPONSES: RouteDoc['responses'] = {
  400: refused('INVALID_JSON, INVALID_PAYLOAD: every fault at once, each with its remedy'),
  401: refused('UNAUTHORIZED'),
  429: refused('AGENT_BUSY: eight questions are being answered'),
  502: refused('AGENT_FAILED: every provider failed; error and faults name each fault'),
  503: refused('AGENT_NOT_CONFIGURED'),
};
const STREAMED = 'With Accept: text/event-stream the answer comes as events: delta, tool, then done or error.';
/** The smallest PNG there is: one pixel. */
const EXAMPLE_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const AGENT_ROUTES: readonly RouteDoc[] = [
  {
    method: 'post',
    path: '/agent/chat',
    summary: 'Ask a model',
    description: STREAMED,
    tags: ['Agent'],
    auth: 'internal',
    body: chatSchema,
    bodyExample: {
      systemPrompt: 'Answer in one sentence.',
      prompt: 'What is a trailing stop?',
      temperature: 0.2,
      maxTokens: 300,
    },
    responses: {
      200: { description: 'The answer of the first provider that gave one', schema: chatAnswerSchema },
      ...ASKED_RESPONSES,
      413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
    },
  },
  {
    method: 'post',
    path: '/agent/vision',
    summary: 'Have a chart image looked at',
    description: STREAMED,
    tags: ['Agent'],
    auth: 'internal',
    body: visionSchema,
    bodyExample: { imageBase64: EXAMPLE_IMAGE, prompt: 'Where is support?' },
    responses: {
      200: { description: 'The analysis of the first provider that gave one', schema: visionAnswerSchema },
      ...ASKED_RESPONSES,
      413: refused('PAYLOAD_TOO_LARGE: more than 8 MiB'),
    },
  },
  {
    method: 'get',
    path: '/agent/status',
    summary: 'How the providers do',
    tags: ['Agent'],
    auth: 'internal',
    responses: {
      200: { description: 'From real recent calls', schema: agentStatusSchema },
      401: refused('UNAUTHORIZED'),
    },
  },
  {
    method: 'get',
    path: '/agent/usage',
    summary: 'Requests, tokens and cost over the window',
    tags: ['Agent'],
    auth: 'internal',
    responses: {
      200: { description: 'The sum of the ledger', schema: agentUsageSchema },
      401: refused('UNAUTHORIZED'),
      500: refused('STORAGE_FAILED'),
    },
  },
];
