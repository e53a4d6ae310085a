// What help for editors answers, whichever service gives it.

import { z } from 'zod';

const success = { status: z.literal('success') };
const fromZero = z.object({ line: z.int(), character: z.int() }).meta({ description: 'Both from 0' });

export const completionAnswerSchema = z.object({
  ...success,
  items: z.array(
    z.object({
      label: z.string(),
      detail: z.string(),
      documentation: z.string(),
      insertText: z.string(),
      insertTextFormat: z.enum(['snippet', 'plaintext']),
      kind: z.string(),
    }),
  ),
  isIncomplete: z.boolean(),
});

export const hoverAnswerSchema = z.object({
  ...success,
  hover: z.object({ contents: z.string(), range: z.object({ start: fromZero, end: fromZero }) }).nullable(),
});

export const diagnosticsAnswerSchema = z.object({
  ...success,
  ok: z.boolean().meta({ description: 'Whether it may run' }),
  diagnostics: z.array(
    z.object({
      line: z.number().int().meta({ description: 'From 1' }),
      character: z.number().int().meta({ description: 'From 0' }),
      endLine: z.number().int(),
      endCharacter: z.number().int(),
      message: z.string(),
      severity: z.enum(['error', 'warning', 'hint']),
      code: z.string(),
      source: z.literal('signalbox'),
    }),
  ),
});
