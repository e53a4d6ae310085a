// From a key in the editor to the moment when the mark of an error comes or goes, in a script of five hundred lines.

import type { Locator, Page } from 'playwright-core';
import { until } from './until.ts';

const HEAD = '//@version=6\nindicator("t", overlay = true)\n';

/** Fifty blocks of ten lines: inputs, averages, functions of its own, plots. */
export function longScript(): string {
  const block = (number: number): string => `len${number} = input.int(${number + 5}, "Length ${number}", minval = 1)
ma${number} = ta.ema(close, len${number})
up${number} = ta.crossover(close, ma${number})
var float last${number} = na
if up${number}
    last${number} := close
f${number}(x, y) =>
    z = x * y
    z + ta.sma(x, 5)
plot(f${number}(last${number}, ma${number}), "P${number}")
`;
  return `${HEAD}${Array.from({ length: 50 }, (_, number) => block(number)).join('')}`;
}

const WATCH = `
  globalThis.findingTimes = [];
  {
    const root = document.querySelector('.pine-editor .code').shadowRoot;
    const isWrong = () => root.querySelector('.cm-lint-marker-error') !== null;
    let [pressedAt, wasWrong] = [0, isWrong()];
    root.addEventListener('keydown', () => { pressedAt = performance.now(); }, true);
    new MutationObserver(() => {
      if (isWrong() === wasWrong) return;
      wasWrong = !wasWrong;
      findingTimes.push(performance.now() - pressedAt);
    }).observe(root, { subtree: true, childList: true, attributes: true });
  }
`;

/**
 * Types a parenthesis too many at the end of the script and takes it away again, and so on, until somebody has seen enough. `content`
 * is the editor's text.
 */
export async function measureTyping(
  page: Page,
  content: Locator,
  isEnough: (timesMs: readonly number[]) => boolean,
): Promise<readonly number[]> {
  await content.click();
  await page.keyboard.press('Control+End');
  await page.evaluate(WATCH);
  let times: readonly number[] = [];
  while (!isEnough(times)) {
    await page.keyboard.press(times.length % 2 === 0 ? ')' : 'Backspace');
    await until(page, `findingTimes.length > ${times.length}`);
    times = (await page.evaluate('findingTimes')) as number[];
  }
  return times;
}
