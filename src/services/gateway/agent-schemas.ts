// What the bodies of /agent look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';

const MAX_MESSAGES = 50;
const MAX_TEXT_CHARS = 32_000;
const MAX_OUTPUT_TOKENS = 32_768;
/** 8 MiB of body; a screenshot is far below. */
export const VISION_BODY_LIMIT = 8 * 1024 * 1024;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

/** Whole characters only: half of one would be replaced on its way, and a prompt is never changed. */
const text = z
  .string()
  .min(1)
  .max(MAX_TEXT_CHARS)
  .refine((value) => value.isWellFormed(), { error: 'holds half a character (a lone surrogate), send whole ones' });

const messageSchema = z.object({
  role: described(z.enum(['system', 'user', 'assistant']).default('user'), 'user when omitted'),
  content: text,
});

export const chatSchema = z
  .object({
    messages: described(z.array(messageSchema).min(1).max(MAX_MESSAGES).optional(), 'The conversation so far'),
    systemPrompt: described(text.optional(), 'Used only when messages is omitted'),
    prompt: described(text.optional(), 'The question; used only when messages is omitted'),
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.number().int().min(1).max(MAX_OUTPUT_TOKENS).optional(),
    tools: described(z.boolean().optional(), 'Whether the model may look at positions, trades, signals and bars'),
  })
  .refine(({ messages, prompt }) => messages !== undefined || prompt !== undefined, {
    path: ['prompt'],
    error: 'is missing, send prompt or messages',
  });
export type ChatBody = z.infer<typeof chatSchema>;

export const visionSchema = z.object({
  imageBase64: described(z.string().min(1), 'PNG, JPEG, WebP or GIF as Base64, plain or as a data URL'),
  prompt: described(text.optional(), 'What to look for; a description of the chart when omitted'),
});

const toolCallSchema = z.object({
  name: z.string(),
  arguments: z.unknown().meta({ description: 'As the model gave them' }),
  ms: z.number(),
  ok: z.boolean(),
});

const answerFields = {
  success: z.literal(true),
  requestId: z.string(),
  model: z.string(),
  provider: described(z.string(), 'Who answered: openai, anthropic, google or local'),
  finishReason: described(z.enum(['stop', 'length', 'tool-limit']), 'length: the text stops at maxTokens'),
  warnings: described(z.array(z.string()), 'What the provider did not do as asked'),
};

export const chatAnswerSchema = z.object({
  ...answerFields,
  response: z.string(),
  toolCalls: described(z.array(toolCallSchema), 'Everything the model looked at'),
});

export const visionAnswerSchema = z.object({ ...answerFields, analysis: z.string() });

export const agentStatusSchema = z.object({
  success: z.literal(true),
  requestId: z.string(),
  status: described(
    z.enum(['Healthy', 'Degraded', 'Unavailable']),
    'Degraded: the first provider fails and another serves. Unavailable: none does',
  ),
  config: z.object({
    defaultProvider: described(z.string(), 'Empty when none is configured'),
    fallbackChain: z.array(z.string()),
    modelMap: described(z.record(z.string(), z.string()), 'Provider to model'),
  }),
  activeTrailingStops: described(z.array(z.string()), 'exchange:symbol:LONG or exchange:symbol:SHORT'),
  providers: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      circuit: described(z.enum(['closed', 'open', 'half-open']), 'open: it is left alone for a while'),
      lastOutcome: described(z.string().nullable(), 'ok or the kind of failure, of the last 15 minutes'),
      lastAskedAt: z.number().int().nullable(),
    }),
  ),
});

const sums = {
  requests: described(z.number().int(), 'Calls of the provider, retries among them'),
  tokens: z.number().int(),
  costUsd: z.number(),
  errors: z.number().int(),
};

const usageFields = {
  totalRequests: z.number().int(),
  totalTokens: z.number().int(),
  totalCostUsd: z.number(),
  byProvider: z.record(z.string(), z.object(sums)),
  since: described(z.number().int(), 'Start of the window, ms since 1970'),
  estimatedRequests: described(z.number().int(), 'Calls whose tokens the provider did not count'),
  unpricedModels: described(z.array(z.string()), 'Models without a known price; their cost is left out'),
};

export const agentUsageSchema = z.object({ success: z.literal(true), requestId: z.string(), ...usageFields });

export const agentUsageViewSchema = z.object({
  ...usageFields,
  byModel: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      ...sums,
      isPriced: described(z.boolean(), 'false: some of its calls have no known price, and are left out of costUsd'),
    }),
  ),
  byDay: described(
    z.array(z.object({ day: described(z.string(), 'In UTC, such as 2026-01-31'), ...sums })),
    'The oldest first; days without a call are left out',
  ),
});
export type AgentUsageView = z.infer<typeof agentUsageViewSchema>;
