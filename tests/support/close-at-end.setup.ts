// Part of the setup of every test file: closes what the file has opened.

import { afterAll } from 'vitest';
import { closeOpened } from './close-at-end.ts';

afterAll(closeOpened);
