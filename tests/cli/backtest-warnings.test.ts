// What a backtest warns of and how it was run, by the real program: in the terminal, on the page and in the JSON.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSignalbox } from '../support/process.ts';

const BARS = fileURLToPath(new URL('../../examples/pine/bars.csv', import.meta.url));
/** It cannot pay its orders, counts in a currency without bars, and looks into bars that are not there. */
const SOURCE = `//@version=6
strategy("Poor", initial_capital = 1, currency = currency.EUR, use_bar_magnifier = true, commission_value = 0.1)
length = input.int(5, "Length")
if bar_index % length == 0
    strategy.entry("L", strategy.long, 9)
`;
const CODES = ['PE402', 'PE403', 'PE404'];

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-warnings-'));
  writeFileSync(at('poor.pine'), SOURCE);
  writeFileSync(at('market.json'), '{"ticker": "ABC", "currency": "USD"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

const backtest = async (...words: string[]) => {
  const market = ['--bars', BARS, '--symbol-info', at('market.json'), '--input', 'Length=7'];
  const ran = await runSignalbox(['backtest', at('poor.pine'), ...market, ...words], {}, folder);
  expect(ran.code, ran.stderr).toBe(0);
  return ran;
};

test('every warning is in the terminal and on the page, with how it was run', { timeout: 60_000 }, async () => {
  const { stdout, stderr } = await backtest('--report', at('poor.html'));
  const page = readFileSync(at('poor.html'), 'utf8');
  for (const code of CODES) {
    expect(stderr).toContain(`warning ${code}`);
    expect(page).toContain(`<small>${code}, line 2</small>`);
  }
  expect(stdout).toMatch(/^commission +0\.1 % of each order$/m);
  expect(stdout).toMatch(/^inputs +Length = 7 \(the script has 5\)$/m);
  expect(page).toContain('<th scope="row">Length</th><td>7 (the script has 5)</td>');
});

test('every warning is in the JSON, and the page is written beside it', { timeout: 60_000 }, async () => {
  const { stdout } = await backtest('--json', '--report', at('beside.html'));
  const { meta } = JSON.parse(stdout);
  expect(meta.warnings.map(({ code }: { code: string }) => code)).toEqual(CODES);
  expect(readFileSync(at('beside.html'), 'utf8')).toContain('PE404');
});
