// The name of the API and the version of this release, as its package says.

import { readFileSync } from 'node:fs';

const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
export const API_TITLE = 'Signalbox';
export const VERSION = packageJson.version;
