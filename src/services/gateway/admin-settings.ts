// GET /admin/settings: every setting as it is in force here, with where it comes from; secrets show only that they are set.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { answer, TAGS } from './admin-answers.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const settingSchema = z.object({
  name: z.string(),
  value: described(z.string(), 'Empty where nothing is set; a secret that is set is masked'),
  source: z.enum(['environment', '.env', 'stored', 'default']),
  about: described(z.string(), 'What it is for'),
  feature: described(z.string(), 'The part that reads it'),
});
export const settingsSchema = z.array(settingSchema);

export interface AdminSettingsDeps {
  readonly settings: () => z.infer<typeof settingsSchema>;
}

export const settingsEndpoints = ({ settings }: AdminSettingsDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/settings',
    summary: 'Every setting in force, with where it comes from; no secrets',
    tags: TAGS,
    responses: { ...ok('As docs/settings.md lists them', settingsSchema), 400: refused('INVALID_QUERY') },
    handler(c) {
      readQuery(c, NO_QUERY);
      return answer(c, settings());
    },
  },
];
