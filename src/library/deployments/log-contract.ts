// A line of a deployment's log, as its owner's and the operator's endpoints answer it.

import { z } from 'zod';
import type { LogEntry } from './deployment.ts';

export const logLineSchema = z.object({
  at: z.int().meta({ description: 'Unix milliseconds' }),
  kind: z.string(),
  message: z.string(),
  barTime: z.int().optional(),
  eventId: z.string().optional(),
  runMs: z.number().optional(),
});

export const logView = ({
  atMs,
  kind,
  message,
  barTimeMs,
  eventId,
  runMs,
}: LogEntry): z.infer<typeof logLineSchema> => ({
  at: atMs,
  kind,
  message,
  ...(barTimeMs === undefined ? {} : { barTime: barTimeMs }),
  ...(eventId === undefined ? {} : { eventId }),
  ...(runMs === undefined ? {} : { runMs }),
});
