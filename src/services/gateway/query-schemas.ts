// What a query and its answer look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';

export const MAX_QUERY_CHARS = 8192;
const MAX_PARAMS = 64;

const wholeText = (text: string): boolean => text.isWellFormed();
const exactNumber = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

const paramSchema = z.union([
  z.string().refine(wholeText, { error: 'holds half a character (a lone surrogate), send whole ones' }),
  z.number().refine(exactNumber, { error: 'is too large to be exact, send it as text and CAST(? AS INTEGER)' }),
  z.boolean(),
  z.null(),
]);

export const querySchema = z.strictObject({
  query: z.string().min(1).max(MAX_QUERY_CHARS).meta({ description: 'One SQL statement with ? for every value' }),
  params: z
    .array(paramSchema)
    .max(MAX_PARAMS)
    .default([])
    .meta({ description: 'The values of the placeholders, in order; true and false become 1 and 0' }),
});

export const queryAnswerSchema = z.object({
  success: z.literal(true),
  requestId: z.string(),
  results: z
    .array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])))
    .meta({ description: 'One object per row. Blobs are hex text; whole numbers past 2^53 are text' }),
  lastRowId: z.number().int().meta({ description: 'Of the last inserted row; 0 when none was inserted' }),
  changes: z.number().int().meta({ description: 'Rows inserted, updated or deleted; 0 for SELECT' }),
});

export const queryTableSchema = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  isWritable: z.boolean().meta({ description: 'INSERT, UPDATE, DELETE and REPLACE may name it' }),
});
