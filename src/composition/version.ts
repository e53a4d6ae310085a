// The name and version of the interface, and the version of this release, as its package says.

import { readFileSync } from 'node:fs';

const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
export const API_TITLE = 'Signalbox';
/** Of the interface as it is specified; it changes when its clients must. */
export const API_VERSION = '1.0.0';
export const VERSION = packageJson.version;
