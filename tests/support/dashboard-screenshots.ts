// `npm run screenshots`: starts a Signalbox of its own, trades on paper for a week of moved time, deploys a strategy, and takes a
// picture of every page for the docs.

import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChromium } from './chromium.ts';
import { openStage } from './screenshots/stage.ts';
import { takePictures } from './screenshots/take-pictures.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

const stage = await openStage();
const browser = await startChromium();
try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await takePictures(browser, stage, FOLDER);
} finally {
  await browser.close();
  await stage.close();
}
