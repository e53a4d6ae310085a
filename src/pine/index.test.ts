// The engine through its front door: compile, run, go live, and what comes out when something is wrong.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { answerOf, type Bar, barColumns, compile, InputFault, type Program, ScriptRuntimeError } from './index.ts';

const DAY_MS = 86_400_000;

const bar = (index: number, close: number): Bar => ({
  time: index * DAY_MS,
  open: close - 1,
  high: close + 2,
  low: close - 2,
  close,
  volume: 100,
});
const bars = (...closes: number[]) => barColumns(closes.map((close, index) => bar(index, close)));

function compiled(source: string, version = 6): Program {
  const { program, diagnostics } = compile(`//@version=${version}\n${source}`);
  expect(diagnostics).toEqual([]);
  return program!;
}

const indicator = (...lines: string[]) => compiled(['indicator("test")', ...lines].join('\n'));
const column = (program: Program, title: string, ...closes: number[]) => [
  ...program.run(bars(...closes)).series.get(title)!,
];

describe('compile', () => {
  it('makes no function of text before the first run: a page with a strict policy checks scripts too', () => {
    vi.stubGlobal('Function', function forbidden() {
      throw new EvalError('the policy forbids it');
    });
    const program = indicator('plot(close)');
    expect(() => program.run(bars(1))).toThrow('the policy forbids it');
    vi.unstubAllGlobals();
    expect(column(program, 'Plot', 1, 2)).toEqual([1, 2]);
  });

  it('lists all mistakes with their places and makes no program', () => {
    const { program, diagnostics } = compile('//@version=6\nindicator("x")\nplot(clos)\nplot(ta.smaa(close, 3))\n');
    expect(program).toBeNull();
    expect(diagnostics.map(({ span, severity }) => [span.start, severity])).toEqual([
      [33, 'error'],
      [44, 'error'],
    ]);
    expect(JSON.stringify(diagnostics)).toContain('close');
    expect(JSON.stringify(diagnostics)).toContain('ta.sma');
  });

  it.each([
    [5, 2],
    [6, 2.5],
  ] as const)('reads a script that does not say its version as %i when told so', (version, half) => {
    const source = 'indicator("x")\nplot(5 / 2)';
    expect(compile(source).diagnostics.map(({ code }) => code)).toEqual(['PE002']);
    expect(compile(source, { version }).program!.run(bars(1)).series.get('Plot')).toEqual(Float64Array.of(half));
    const own = `//@version=${11 - version}\n${source}`;
    expect(compile(own, { version }).program!.checked.version).toBe(11 - version);
    expect(compile(`//@version=4\n${source}`, { version }).program!.checked.version).toBe(5);
  });

  it('refuses an account to what is no strategy, once and at its first place', () => {
    const calls = 'plot(strategy.equity)\nplot(strategy.position_size[1])\nstrategy.entry("L", strategy.long)\n';
    const source = `//@version=6\nindicator("x")\n${calls}`;
    const { program, diagnostics } = compile(source);
    expect(program).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'PE303', severity: 'error' }]);
    expect(diagnostics[0]?.remedy).toContain('strategy("x")');
    expect(source.slice(diagnostics[0]!.span.start)).toMatch(/^strategy\.equity/);
    expect(compile(source.replace('indicator', 'strategy')).diagnostics).toEqual([]);
  });

  it('refuses what it cannot run yet, in words, at its place', () => {
    const source = '//@version=6\nindicator("x")\nf = request.footprint(1, 70)\nplot(f.delta())\n';
    const { program, diagnostics } = compile(source);
    expect(program).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'PE301', severity: 'error' }]);
    expect(source.slice(diagnostics[0]!.span.start)).toMatch(/^f\.delta/);
  });

  it('tells what it cannot run once, however often it is called', () => {
    const calls = 'f = request.footprint(1, 70)\nplot(f.delta())\nplot(f.delta() + f.total_volume())\n';
    const { diagnostics } = compile(`//@version=6\nindicator("x")\n${calls}`);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'footprint.delta, footprint.total_volume cannot be run yet.',
    ]);
  });

  it('lets no text of the script into the code but as a quoted constant', () => {
    const name = fc.stringMatching(/^[A-Za-z_]\w{3,12}$/).map((text) => `zq${text}`);
    const text = fc.string({ maxLength: 20 }).map((raw) => raw.replace(/["\\\r\n]/g, ''));
    fc.assert(
      fc.property(name, text, (variable, title) => {
        const { code } = indicator(
          `type T${variable}`,
          `    float ${variable}field = 1`,
          `${variable}f(float ${variable}p) => ${variable}p + 1`,
          `${variable} = "${title}" + str.tostring(${variable}f(close))`,
          `${variable}o = T${variable}.new(2)`,
          `plot(str.length(${variable}) + ${variable}o.${variable}field, "${title}")`,
        );
        const quoted = code
          .split(JSON.stringify(title))
          .join('')
          .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
        expect(quoted).not.toContain('zq');
        if (title.trim().length > 3) expect(quoted).not.toContain(title);
      }),
      { numRuns: 30 },
    );
  });
});

describe('run', () => {
  it('gives a column per plot, one value per bar, and all of them again on the next run', () => {
    const program = indicator('var count = 0', 'count += 1', 'plot(count, "count")', 'plot(close[1], "before")');
    for (let again = 0; again < 3; again += 1) {
      expect(column(program, 'count', 5, 6, 7)).toEqual([1, 2, 3]);
      expect(column(program, 'before', 5, 6, 7)).toEqual([Number.NaN, 5, 6]);
    }
  });

  it('runs over no bars at all', () => {
    const none = barColumns([]);
    const result = indicator('plot(ta.sma(close, 2), "x")').run(none);
    expect(result.count).toBe(0);
    expect(answerOf(result, none)).toMatchObject({ status: 'success', count: 0 });
  });

  it('takes inputs by their titles and refuses the rest', () => {
    const program = indicator('length = input.int(2, "Length", minval = 1)', 'plot(length, "x")');
    expect([...program.run(bars(1), { inputs: { Length: 5 } }).series.get('x')!]).toEqual([5]);
    expect(() => program.run(bars(1), { inputs: { Length: 0 } })).toThrow(InputFault);
    expect(() => program.run(bars(1), { inputs: { Lenght: 3 } })).toThrow('did you mean "Length"');
  });

  it('ends with the bar and the line of a run-time error', () => {
    const program = indicator('values = array.from(1, 2)', 'x = close', 'plot(values.get(bar_index), "x")');
    let error: unknown;
    try {
      program.run(bars(1, 2, 3));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ScriptRuntimeError);
    expect(error).toMatchObject({ barIndex: 2, line: 5, column: 1 });
  });

  it('chooses among more branches than JavaScript can nest', () => {
    const numbers = Array.from({ length: 3000 }, (_, index) => index);
    const arms = numbers.map((index) => `        ${index} => ${index} * 2`);
    const branches = numbers.slice(0, 400).map((index) => `    ${index > 0 ? 'else ' : ''}if i == ${index}`);
    const jumps = branches.map((line, index) => `${line}\n        ${index === 398 ? 'break' : 'continue'}`);
    const program = indicator(
      ['f(x) =>', '    switch x', ...arms, '        => -1'].join('\n'),
      'plot(f(int(close)), "chosen")',
      ['var turns = 0', 'for i = 0 to 999', '    turns += 1', ...jumps].join('\n'),
      'plot(turns, "turns")',
    );
    expect(column(program, 'chosen', 0, 2999, 3000)).toEqual([0, 5998, -1]);
    expect(column(program, 'turns', 1)).toEqual([399]);
  });

  it('stops a loop without an end', () => {
    const program = indicator('n = 0', 'while true', '    n += 1', 'plot(n)');
    expect(() => program.run(bars(1))).toThrow('take more than 10000000 turns on one bar');
  });

  it.each([
    ['one loop', ['while true', '    x += 1']],
    ['loops in each other', ['for i = 1 to 5000', '    for j = 1 to 5000', '        x += 1']],
    ['loops one after the other', ['for i = 1 to 6000000', '    x += 1', 'for i = 1 to 6000000', '    x += 1']],
    ['a loop of few turns after many', ['for i = 1 to 10000000', '    x += 1', 'for i = 1 to 1', '    x += 1']],
    ['loops of a function', ['f() =>', '    n = 0', '    for j = 1 to 5000', '        n += 1', '    n']],
  ])('counts the turns of %s together', (_, lines) => {
    const call = lines[0] === 'f() =>' ? ['for i = 1 to 5000', '    x += f()'] : [];
    const program = indicator('x = 0', ...lines, ...call, 'plot(x)');
    expect(() => program.run(bars(1))).toThrow(/more than 10000000 turns on one bar/);
  });

  it('begins to count the turns anew on every bar, and counts none that a break left out', () => {
    const program = indicator(
      'x = 0',
      'for i = 1 to 100000000',
      '    if i > 9999999',
      '        break',
      '    x += 1',
      'plot(x)',
    );
    expect([...program.run(bars(1, 2)).series.get('Plot')!]).toEqual([9999999, 9999999]);
  });

  it('keeps alerts in the order of the bars, with conditions and without alert()', () => {
    const many = bars(...Array.from({ length: 700 }, (_, index) => index));
    const both = indicator(
      'if bar_index % 2 == 0',
      '    alert("a")',
      'alertcondition(bar_index % 3 == 0, "c")',
      'plot(1)',
    );
    const told = both.run(many).alerts;
    expect(told.slice(0, 6).map(({ barIndex, source }) => [barIndex, source])).toEqual([
      [0, 'alert'],
      [0, 'alertcondition'],
      [2, 'alert'],
      [3, 'alertcondition'],
      [4, 'alert'],
      [6, 'alert'],
    ]);
    const conditions = indicator('alertcondition(bar_index % 3 == 0, "c", "{{close}}")', 'plot(1)').run(many).alerts;
    expect(conditions.map(({ barIndex, message, timeMs }) => [barIndex, message, timeMs])).toEqual(
      Array.from({ length: 234 }, (_, place) => [place * 3, String(place * 3), place * 3 * DAY_MS]),
    );
  });

  it('tells how far it is', () => {
    const progress = new Int32Array(new SharedArrayBuffer(4));
    indicator('plot(close)').run(bars(...Array.from({ length: 5000 }, (_, i) => i)), { progress });
    expect(progress[0]).toBe(5000);
  });

  it('keeps the runs of one program apart', () => {
    const program = indicator('var list = array.new<float>()', 'list.push(close)', 'plot(list.size(), "n")');
    const live = [program.open(bars(1, 2)), program.open(bars(1, 2, 3))];
    expect(live.map((run) => run.close(bar(9, 1)).values.get('n'))).toEqual([3, 4]);
  });
});

describe('live', () => {
  const SOURCE = [
    'var total = 0.0',
    'varip ticks = 0',
    'var list = array.new<float>()',
    'total += close',
    'ticks += 1',
    'list.push(close)',
    'if close > open',
    '    list.push(-close)',
    'plot(total, "total")',
    'plot(list.sum(), "sum")',
    'plot(ta.ema(close, 3), "ema")',
    'plot(ta.highest(high, 3)[1], "highest")',
    'plot(total[2], "earlier")',
  ];

  it('gives the closed bars what history would have given them, whatever ticks came between', () => {
    const price = fc.integer({ min: 1, max: 50 });
    const steps = fc.array(fc.record({ ticks: fc.array(price, { maxLength: 4 }), close: price }), { maxLength: 12 });
    const program = indicator(...SOURCE);
    fc.assert(
      fc.property(fc.array(price, { maxLength: 4 }), steps, (history, live) => {
        const closes = [...history, ...live.map(({ close }) => close)];
        const expected = program.run(bars(...closes)).series;
        const run = program.open(bars(...history));
        for (const [step, { ticks, close }] of live.entries()) {
          const index = history.length + step;
          for (const tick of ticks) run.update(bar(index, tick));
          const { values, barIndex, isClosed } = run.close(bar(index, close));
          expect({ barIndex, isClosed }).toEqual({ barIndex: index, isClosed: true });
          for (const [title, value] of values) expect([title, value]).toEqual([title, expected.get(title)![index]]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps what varip counts through the ticks of a bar', () => {
    const run = indicator('varip ticks = 0', 'ticks += 1', 'plot(ticks, "ticks")').open(bars(1));
    const seen = [run.update(bar(1, 2)), run.update(bar(1, 3)), run.close(bar(1, 4)), run.update(bar(2, 5))];
    expect(seen.map(({ values }) => values.get('ticks'))).toEqual([2, 3, 4, 5]);
  });

  it('runs a once block with every tick of the bar it begins on, and not after that bar', () => {
    const source = ['varip ticks = 0', 'var times = 0', 'once close > 4', '    ticks += 1', '    times += 1'];
    const run = indicator(...source, 'plot(ticks, "ticks")', 'plot(times, "times")').open(bars(1));
    const seen = [
      ...[run.update(bar(1, 2)), run.update(bar(1, 5)), run.update(bar(1, 3)), run.update(bar(1, 6))],
      ...[run.close(bar(1, 7)), run.update(bar(2, 8)), run.close(bar(2, 9))],
    ];
    expect(seen.map(({ values }) => values.get('ticks'))).toEqual([0, 1, 1, 2, 3, 3, 3]);
    expect(seen.map(({ values }) => values.get('times'))).toEqual([0, 1, 0, 1, 1, 1, 1]);
  });

  it('ends an open bar as it was last seen when a newer one begins', () => {
    const run = indicator('var total = 0.0', 'total += close', 'plot(total, "total")').open(bars(1));
    run.update(bar(1, 5));
    run.update(bar(1, 7));
    expect(run.update(bar(2, 10)).values.get('total')).toBe(18);
  });

  it('refuses bars that come too late', () => {
    const run = indicator('plot(close)').open(bars(1, 2));
    expect(() => run.update(bar(1, 3))).toThrow('send newer ones');
    run.update(bar(5, 3));
    expect(() => run.update(bar(4, 3))).toThrow('older than the open one');
  });

  it('says which state a bar is in', () => {
    const run = indicator(
      'plot(barstate.isrealtime ? 1 : 0, "live")',
      'plot(barstate.isnew ? 1 : 0, "new")',
      'plot(barstate.isconfirmed ? 1 : 0, "closed")',
      'plot(barstate.islast ? 1 : 0, "last")',
    ).open(bars(1, 2));
    const states = [run.update(bar(2, 1)), run.update(bar(2, 1)), run.close(bar(2, 1))];
    expect(states.map(({ values }) => [...values.values()])).toEqual([
      [1, 1, 0, 1],
      [1, 0, 0, 1],
      [1, 0, 1, 1],
    ]);
    expect([...run.result().series.get('last')!]).toEqual([0, 1]);
  });

  it('looks back beyond what it keeps of its history', () => {
    const count = 20_000;
    const history = bars(...Array.from({ length: count }, (_, i) => i));
    const run = indicator('plot(close[9999], "far")', 'plot(close[bar_index % 10000], "some")').open(history);
    const { values } = run.close(bar(count, count));
    expect([values.get('far'), values.get('some')]).toEqual([count - 9999, count]);
  });

  it('hands over alerts and logs once', () => {
    const run = indicator('alert("up", alert.freq_all)', 'log.info("close {0}", close)').open(bars(1));
    expect(run.result().alerts).toHaveLength(1);
    const first = run.update(bar(1, 2));
    expect([first.alerts.map(({ message }) => message), first.logs.map(({ message }) => message)]).toEqual([
      ['up'],
      ['close 2'],
    ]);
    expect(run.close(bar(1, 3)).logs.map(({ message }) => message)).toEqual(['close 3']);
  });
});
