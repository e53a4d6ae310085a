// The endpoints of /agent but for what they do, described for /openapi.json and /docs.

import type { EndpointDoc } from '../../http/endpoint.ts';
import {
  agentStatusSchema,
  agentUsageSchema,
  agentUsageViewSchema,
  chatAnswerSchema,
  chatSchema,
  VISION_BODY_LIMIT,
  visionAnswerSchema,
  visionSchema,
} from './agent-schemas.ts';
import { BAD_BODY, ok, type Responses, refused } from './responses.ts';

const ASKED_RESPONSES: Responses = {
  400: BAD_BODY,
  401: refused('UNAUTHORIZED'),
  429: refused('AGENT_BUSY: eight questions are being answered'),
  502: refused('AGENT_FAILED: every provider failed; error and faults name each fault'),
  503: refused('AGENT_NOT_CONFIGURED'),
};
const STREAMED = 'With Accept: text/event-stream the answer comes as events: delta, tool, then done or error.';
/** The smallest PNG there is: one pixel. */
const EXAMPLE_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const AGENT_DOCS = {
  chat: {
    method: 'post',
    path: '/agent/chat',
    unknownQuery: 'ignored',
    summary: 'Ask a model',
    description: STREAMED,
    tags: ['Agent'],
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
  vision: {
    method: 'post',
    path: '/agent/vision',
    unknownQuery: 'ignored',
    summary: 'Have a chart image looked at',
    description: STREAMED,
    tags: ['Agent'],
    body: visionSchema,
    bodyLimitBytes: VISION_BODY_LIMIT,
    bodyExample: { imageBase64: EXAMPLE_IMAGE, prompt: 'Where is support?' },
    responses: {
      200: { description: 'The analysis of the first provider that gave one', schema: visionAnswerSchema },
      ...ASKED_RESPONSES,
      413: refused('PAYLOAD_TOO_LARGE: more than 8 MiB'),
    },
  },
  status: {
    method: 'get',
    path: '/agent/status',
    summary: 'How the providers do',
    tags: ['Agent'],
    responses: {
      200: { description: 'From real recent calls', schema: agentStatusSchema },
      401: refused('UNAUTHORIZED'),
    },
  },
  usage: {
    method: 'get',
    path: '/agent/usage',
    summary: 'Requests, tokens and cost over the window',
    tags: ['Agent'],
    responses: {
      200: { description: 'The sum of the ledger', schema: agentUsageSchema },
      401: refused('UNAUTHORIZED'),
      500: refused('STORAGE_FAILED'),
    },
  },
  usageDetails: {
    method: 'get',
    path: '/usage',
    summary: 'The same by model and by day, as the dashboard shows it',
    tags: ['Agent'],
    responses: {
      ...ok('The ledger over the window; /agent/usage is a part of it', agentUsageViewSchema),
      401: refused('UNAUTHORIZED'),
      500: refused('STORAGE_FAILED'),
    },
  },
} satisfies Record<string, EndpointDoc>;
