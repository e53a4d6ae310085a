// Tests of log.info(), log.warning() and log.error().

import { describe, expect, it } from 'vitest';
import { errorOf } from '../values/testing/library.ts';
import { Logs } from './logs.ts';
import { MAX_MESSAGES } from './recent-messages.ts';

describe('the log', () => {
  it('has level, message, bar and line of each call, in their order', () => {
    let barIndex = 3;
    const logs = new Logs({ barIndex: () => barIndex, mintick: 0.01 });
    logs.write('info', 5, 'hello');
    barIndex = 4;
    logs.write('warning', 6, 'careful');
    logs.write('error', 7, null);
    expect(logs.list()).toEqual([
      { level: 'info', message: 'hello', barIndex: 3, line: 5 },
      { level: 'warning', message: 'careful', barIndex: 4, line: 6 },
      { level: 'error', message: 'NaN', barIndex: 4, line: 7 },
    ]);
  });

  it('takes a format with values, as str.format does; a message alone is not a format', () => {
    const logs = new Logs({ barIndex: () => 0, mintick: 0.01 });
    logs.write('info', 1, '{0} of {1,number,#.##}, {2}', 'close', 1.2345, true);
    logs.write('info', 1, "{0} isn't {");
    logs.write('info', 1, '{0}', Number.NaN);
    expect(logs.list().map(({ message }) => message)).toEqual(['close of 1.23, true', "{0} isn't {", 'NaN']);
    expect(errorOf(() => logs.write('info', 1, '{', 1))).toContain('a brace is not closed');
    expect(logs.total).toBe(3);
  });

  it('keeps the newest and says how many are gone', () => {
    const logs = new Logs({ barIndex: () => 0, mintick: 0.01 });
    for (let line = 0; line <= MAX_MESSAGES; line += 1) logs.write('info', line, 'x');
    expect([logs.list().length, logs.list()[0]?.line, logs.dropped, logs.list(MAX_MESSAGES).length]).toEqual([
      MAX_MESSAGES,
      1,
      1,
      1,
    ]);
  });
});
