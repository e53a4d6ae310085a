// Part of the setup of every test file: closes what its tests and the file have opened.

import { afterAll, afterEach, beforeEach } from 'vitest';
import { fileEnds, testBegins, testEnds } from './close-at-end.ts';

// The first of all hooks: the first to be called before a test, and the last after it.
beforeEach(testBegins);
afterEach(testEnds);
afterAll(fileEnds);
