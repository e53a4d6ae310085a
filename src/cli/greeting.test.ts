// What a start tells: whose money is traded stands first, and no line that costs money looks like any other.

import { describe, expect, test } from 'vitest';
import { type GreetedAccount, type Greeting, greetingText } from './greeting.ts';

const PAPER = ['binance', 'bybit', 'mexc'].map(
  (exchange): GreetedAccount => ({ exchange, account: 'main', mode: 'paper' }),
);
const LIVE: GreetedAccount = {
  ...{ exchange: 'binance', account: 'main', mode: 'live', key: 'key abcd…, from the environment' },
  isUnconfirmed: true,
};
const TESTNET: GreetedAccount = { exchange: 'bybit', account: 'scalp', mode: 'testnet', key: 'key efgh…, stored' };

const greet = (accounts: readonly GreetedAccount[], more: Partial<Greeting> = {}): string =>
  greetingText({
    ...{ version: '1', url: 'http://127.0.0.1:1', dataDir: 'data', prices: 'simulated', services: [], off: [] },
    ...{ accounts, webhookKeys: { newKey: 'whk_new', inUse: 0 }, mailAddress: undefined, ...more },
  });

/** What stands before and on the line that trades. */
const linesAt = (text: string, words: string): string[] => {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes(words));
  return lines.slice(at - 1, at + 1);
};

describe('the greeting', () => {
  test('says first where the dashboard is, where there is one', () => {
    const [, , second] = greet(PAPER, { services: ['dashboard'] }).split('\n');
    expect(second).toBe('  Dashboard:    http://127.0.0.1:1/');
    expect(greet(PAPER)).not.toContain('Dashboard');
  });

  test('of paper names the exchanges and prices, and a line that can be copied without a thought', () => {
    const text = greet(PAPER);
    expect(text).toContain('  Trading:      paper money on binance, bybit and mexc; prices are simulated\n');
    expect(linesAt(text, 'curl -s')).toEqual(['  Try it:', expect.stringContaining('"exchange":"binance"')]);
    expect(text).not.toMatch(/live|real|doctor/i);
  });

  test('of live says whose real money it is, with which key, and what every line does', () => {
    const text = greet([LIVE]);
    expect(text).toContain('  Trading:      LIVE MONEY on binance:main (key abcd…, from the environment)\n');
    expect(text).not.toContain('paper');
    expect(linesAt(text, 'curl -s')).toEqual([
      '  The next line BUYS WITH REAL MONEY on binance:main:',
      expect.stringContaining('"exchange":"binance"'),
    ]);
    expect(text).toContain('npx signalbox doctor --live    (asks every exchange, and trades nothing)');
    expect(text).toContain('npx signalbox accounts confirm binance:main    (once: until then nothing is opened');
    expect(greet([{ ...LIVE, isUnconfirmed: false }])).not.toContain('accounts confirm');
  });

  test('of all three tells real money first, and its line to copy is one on paper', () => {
    const text = greet([LIVE, TESTNET, ...PAPER.slice(2)]);
    const trading = text.slice(text.indexOf('Trading:'), text.indexOf('Data folder:'));
    expect(trading.split('\n').map((line) => line.trim())).toEqual([
      'Trading:      LIVE MONEY on binance:main (key abcd…, from the environment)',
      'testnet money on bybit:scalp (key efgh…, stored)',
      'paper money on mexc; prices are simulated',
      '',
    ]);
    expect(linesAt(text, 'curl -s')[1]).toContain('"exchange":"mexc"');
    expect(text).not.toContain('REAL MONEY');
  });

  test('of a testnet account names its account in the line', () => {
    const lines = linesAt(greet([TESTNET]), 'curl -s');
    expect(lines[0]).toContain('play money of the testnet on bybit:scalp');
    expect(lines[1]).toContain('"exchange":"bybit","account":"scalp"');
  });

  test('where nothing can be traded says so with the reasons, and prints no line that would be refused', () => {
    const text = greet([], { off: ['Binance is set to live and has no credentials; set BINANCE_API_KEY'] });
    expect(text).toContain('  Trading:      nothing: no account can be traded\n');
    expect(text).toContain('off: Binance is set to live and has no credentials; set BINANCE_API_KEY\n');
    expect(text).not.toContain('curl');
  });
});
