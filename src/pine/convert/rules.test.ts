// Each rule of the conversion on a line or two: what stood there, what stands there now, and how much of it is to check.

import { describe, expect, it } from 'vitest';
import { compile } from '../index.ts';
import { type Converted, convert, type OldVersion } from './index.ts';

type Rule = readonly [version: OldVersion, old: string, converted: string, toCheck: number];

const converted = (version: OldVersion, lines: string): Converted => {
  const outcome = convert(`//@version=${version}\nstudy("x")\n${lines}\n`);
  if (outcome.kind !== 'converted') throw new Error(JSON.stringify(outcome));
  return outcome;
};

/** What is right in a script and cannot be run by this release, and that a line alone shows nothing. */
const FORGIVEN = ['PE301', 'PE149'];

function expectRule([version, old, expected, toCheck]: Rule): void {
  const { text, changes } = converted(version, old);
  expect(text).toBe(`//@version=5\nindicator("x")\n${expected}\n`);
  expect(changes.filter(({ severity }) => severity === 'check')).toHaveLength(toCheck);
  const errors = compile(text).diagnostics.filter(
    ({ severity, code }) => severity === 'error' && !FORGIVEN.includes(code),
  );
  expect(errors).toEqual([]);
}

describe('functions and variables', () => {
  it.each<Rule>([
    [4, 'x = sma(close, 5)', 'x = ta.sma(close, 5)', 0],
    [4, 'x = max(1, abs(-2), round(close, 2))', 'x = math.max(1, math.abs(-2), math.round(close, 2))', 0],
    [4, 'x = security(syminfo.tickerid, "D", close)', 'x = request.security(syminfo.tickerid, "D", close)', 0],
    [
      4,
      'x = security(syminfo.tickerid, resolution="D", expression=close)',
      'x = request.security(syminfo.tickerid, timeframe="D", expression=close)',
      0,
    ],
    [3, 'x = security(tickerid, "D", close)', 'x = request.security(syminfo.tickerid, "D", close)', 0],
    [
      2,
      'x = security(tickerid, "D", close)',
      'x = request.security(syminfo.tickerid, "D", close, lookahead=barmerge.lookahead_on)',
      1,
    ],
    [
      1,
      'x = security(tickerid, "D", close, true)',
      'x = request.security(syminfo.tickerid, "D", close, barmerge.gaps_on, lookahead=barmerge.lookahead_on)',
      1,
    ],
    [
      2,
      'x = security(tickerid, "D", close[1], false, true)',
      'x = request.security(syminfo.tickerid, "D", close[1], barmerge.gaps_off, barmerge.lookahead_on)',
      0,
    ],
    [
      2,
      'x = security(tickerid, period, close, lookahead=barmerge.lookahead_off)',
      'x = request.security(syminfo.tickerid, timeframe.period, close, lookahead=barmerge.lookahead_off)',
      0,
    ],
    [4, 'x = tostring(close, "#.##")', 'x = str.tostring(close, "#.##")', 0],
    [4, 'x = tostring(x=close, y="#")', 'x = str.tostring(value=close, format="#")', 0],
    [4, 'x = tonumber("1")', 'x = str.tonumber("1")', 0],
    [4, 'x = heikinashi(syminfo.tickerid)', 'x = ticker.heikinashi(syminfo.tickerid)', 0],
    [3, 'x = heikinashi(tickerid)', 'x = ticker.heikinashi(syminfo.tickerid)', 0],
    [4, 'x = tickerid("NASDAQ", "AAPL")', 'x = ticker.new("NASDAQ", "AAPL")', 0],
    [3, 'x = renko(tickerid, "close", "ATR", 10)', 'x = ticker.renko(syminfo.tickerid, "ATR", 10)', 0],
    [1, 'x = renko(tickerid, "open", "ATR", 10)', 'x = ticker.renko(syminfo.tickerid, "ATR", 10)', 1],
    [3, 'x = renko(tickerid, "ATR", 10)', 'x = ticker.renko(syminfo.tickerid, "ATR", 10)', 0],
    [4, 'x = renko(syminfo.tickerid, "ATR", 10, true)', 'x = ticker.renko(syminfo.tickerid, "ATR", 10, true)', 0],
    [2, 'x = linebreak(tickerid, "close", 3)', 'x = ticker.linebreak(syminfo.tickerid, 3)', 0],
    [2, 'x = kagi(tickerid, "close", 3)', 'x = ticker.kagi(syminfo.tickerid, 3)', 0],
    [4, 'x = linebreak(syminfo.tickerid, 3)', 'x = ticker.linebreak(syminfo.tickerid, 3)', 0],
    [4, 'x = iff(close > open, 1, 2)', 'x = (close > open ? 1 : 2)', 0],
    [4, 'x = 1 + iff(close > open ? true : false, 1, 2)', 'x = 1 + ((close > open ? true : false) ? 1 : 2)', 0],
    [
      4,
      'x = iff(close > open, highest(10), 2)',
      'iff_of_both(condition, then, otherwise) => condition ? then : otherwise\nx = iff_of_both(close > open, ta.highest(10), 2)',
      0,
    ],
    [
      4,
      'x = iff(close > open, na, cross(close, open))',
      'iff_of_both(condition, then, otherwise) => condition ? then : otherwise\nx = iff_of_both(close > open, bool(na), ta.cross(close, open))',
      0,
    ],
    [
      3,
      'x = iff(close > open, iff(close > 5, red, green), na)',
      'x = (close > open ? (close > 5 ? color.red : color.green) : na)',
      0,
    ],
    [4, 'x = offset(close, 2)', 'x = close[2]', 0],
    [4, 'x = offset(close - open, 1 + 1)', 'x = (close - open)[1 + 1]', 0],
    [4, 'x = rsi(close, 14)', 'x = ta.rsi(close, 14)', 0],
    [
      4,
      'x = rsi(rma(close, 3), rma(open, 3))',
      'rsi_of_two(up, down) => down == 0 ? 100 : up == 0 ? 0 : 100 - 100 / (1 + up / down)\nx = rsi_of_two(ta.rma(close, 3), ta.rma(open, 3))',
      0,
    ],
    [
      4,
      'x = correlation(source_a=close, source_b=open, length=5)',
      'x = ta.correlation(source1=close, source2=open, length=5)',
      0,
    ],
    [
      4,
      'x = label.new(bar_index, high, style=label.style_labelup)',
      'x = label.new(bar_index, high, style=label.style_label_up)',
      0,
    ],
    [4, 'x = n', 'x = bar_index', 0],
    [3, 'x = interval', 'x = timeframe.multiplier', 0],
    [3, 'x = period', 'x = timeframe.period', 0],
    [3, 'x = ticker', 'x = syminfo.ticker', 0],
    [3, 'x = isdaily or isintraday', 'x = timeframe.isdaily or timeframe.isintraday', 0],
    [3, 'x = dayofweek == monday', 'x = dayofweek == dayofweek.monday', 0],
    [3, 'x = dayofweek(time) == sunday', 'x = dayofweek(time) == dayofweek.sunday', 0],
    [4, 'x = tr', 'x = ta.tr', 0],
    [4, 'x = tr(true)', 'x = ta.tr(true)', 0],
    [4, 'x = vwap', 'x = ta.vwap', 0],
    [4, 'x = vwap(hlc3)', 'x = ta.vwap(hlc3)', 0],
    [4, 'x = obv + accdist', 'x = ta.obv + ta.accdist', 0],
    [3, 'x = close[1][2]', 'x = (close[1])[2]', 0],
    [4, 'x = time(resolution="D", session="0930-1600")', 'x = time(timeframe="D", session="0930-1600")', 0],
    [4, 'x = nz(x=close, y=1)', 'x = nz(source=close, replacement=1)', 0],
    [
      4,
      'x = cross(close, open) and rising(close, 3) ? valuewhen(close > open, high, 1) : barssince(close > open)',
      'x = ta.cross(close, open) and ta.rising(close, 3) ? ta.valuewhen(close > open, high, 1) : ta.barssince(close > open)',
      0,
    ],
    [
      4,
      'x = avg(highest(5), lowest(low, 5)) + linreg(close, 5, 0) + stdev(close, 5)',
      'x = math.avg(ta.highest(5), ta.lowest(low, 5)) + ta.linreg(close, 5, 0) + ta.stdev(close, 5)',
      0,
    ],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});

describe('plots, colors and transparency', () => {
  it.each<Rule>([
    [3, 'plot(close, color=red)', 'plot(close, color=color.red)', 0],
    [3, 'plot(close, style=histogram)', 'plot(close, style=plot.style_histogram)', 0],
    [3, 'hline(1, linestyle=dashed)', 'hline(1, linestyle=hline.style_dashed)', 0],
    [1, 'hline(1, linestyle=line)', 'hline(1, linestyle=hline.style_solid)', 0],
    [3, 'hline(1, "t", gray, line, 2)', 'hline(1, "t", color.gray, hline.style_solid, 2)', 0],
    [3, 'line = dashed\nhline(1, linestyle=line)', 'line = hline.style_dashed\nhline(1, linestyle=line)', 0],
    [4, 'plot(close, display=0)', 'plot(close, display=display.none)', 0],
    [4, 'plot(close, display=1)', 'plot(close, display=display.all)', 0],
    [4, 'plotshape(close > open, display=0)', 'plotshape(close > open, display=display.none)', 0],
    [
      4,
      'hline(1, "t", color.red, hline.style_dotted, 1, true, 0)',
      'hline(1, "t", color.red, hline.style_dotted, 1, true, display.none)',
      0,
    ],
    [1, 'plot(close, style=3)', 'plot(close, style=plot.style_cross)', 0],
    [3, 'c = color(red, 50)\nplot(close, color=c)', 'c = color.new(color.red, 50)\nplot(close, color=c)', 0],
    [4, 'plot(close, color=color.red, transp=50)', 'plot(close, color=color.new(color.red, 50))', 0],
    [4, 'plot(close, transp=50)', 'plot(close, color=color.new(color.blue, 50))', 0],
    [4, 'plot(close, color=color.red, transp=0)', 'plot(close, color=color.red)', 0],
    [
      4,
      'plot(close, "t", color.red, 2, plot.style_line, false, 70, 0)',
      'plot(close, "t", color.new(color.red, 70), 2, plot.style_line, false, 0)',
      0,
    ],
    [4, 'plot(close, color=na, transp=50)', 'plot(close, color=na)', 0],
    [
      4,
      'plot(close, color=close > open ? color.red : na, transp=50)',
      'plot(close, color=color.new(close > open ? color.red : na, 50))',
      0,
    ],
    [
      4,
      't = input(50)\nplot(close, color=color.red, transp=max(t, 10))',
      't = input.int(50)\nplot(close, color=color.new(color.red, math.max(t, 10)))',
      0,
    ],
    [4, 'plot(close, color=color.new(color.red, 10), transp=50)', 'plot(close, color=color.new(color.red, 10))', 1],
    [
      4,
      'plotshape(close > open, "t", shape.cross, location.top, color.red, 40, -1)',
      'plotshape(close > open, "t", shape.cross, location.top, color.new(color.red, 40), -1)',
      0,
    ],
    [4, 'plotshape(close > open, transp=40)', 'plotshape(close > open, transp=40)', 1],
    [
      4,
      'plotchar(close > open, color=color.red, transp=40)',
      'plotchar(close > open, color=color.new(color.red, 40))',
      0,
    ],
    [
      4,
      'plotarrow(close - open, colorup=color.lime, colordown=color.red, transp=40)',
      'plotarrow(close - open, colorup=color.new(color.lime, 40), colordown=color.new(color.red, 40))',
      0,
    ],
    [
      3,
      'clear = color(white, 100)\nbgcolor(close > open ? red : clear, transp=70)',
      'clear = color.new(color.white, 100)\nbgcolor(close > open ? color.new(color.red, 70) : clear)',
      0,
    ],
    [
      3,
      'clear = color(white, 100)\nc = close > open ? red : clear\nbgcolor(c)',
      'with_transparency(c, transp) => color.t(c) > 0 ? c : color.new(c, transp)\nclear = color.new(color.white, 100)\nc = close > open ? color.red : clear\nbgcolor(with_transparency(c, 90))',
      0,
    ],
    [4, 'bgcolor(color.red)', 'bgcolor(color.new(color.red, 90))', 0],
    [4, 'bgcolor(color.red, 70)', 'bgcolor(color.new(color.red, 70))', 0],
    [4, 'bgcolor(color.new(color.red, 20))', 'bgcolor(color.new(color.red, 20))', 0],
    [4, 'bgcolor(close > open ? #ff000080 : na)', 'bgcolor(close > open ? #ff000080 : na)', 0],
    [4, 'fill(plot(close), plot(open), color.red)', 'fill(plot(close), plot(open), color.new(color.red, 90))', 0],
    [4, 'fill(plot(close), plot(open))', 'fill(plot(close), plot(open), color=color.new(color.blue, 90))', 0],
    [
      4,
      'fill(hline(1), hline(2), color=color.red, transp=80)',
      'fill(hline(1), hline(2), color=color.new(color.red, 80))',
      0,
    ],
    [
      2,
      'x = close > open ? red : x[1]\nplot(close, color=x)',
      'color x = na\nx := close > open ? color.red : x[1]\nplot(close, color=x)',
      0,
    ],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});

describe('inputs', () => {
  it.each<Rule>([
    [4, 'x = input(14)', 'x = input.int(14)', 0],
    [4, 'x = input(1.5, "a")', 'x = input.float(1.5, "a")', 0],
    [4, 'x = input(true, "a")', 'x = input.bool(true, "a")', 0],
    [4, 'x = input("a")', 'x = input.string("a")', 0],
    [4, 'x = input(close)', 'x = input.source(close)', 0],
    [4, 'x = input(color.red)', 'x = input.color(color.red)', 0],
    [4, 'x = input(14, "a", input.integer, 1, 20)', 'x = input.int(14, "a", minval=1, maxval=20)', 0],
    [4, 'x = input(defval=2, type=input.float, step=0.1)', 'x = input.float(defval=2, step=0.1)', 0],
    [4, 'x = input(2, step=0.1)', 'x = input.float(2, step=0.1)', 0],
    [4, 'x = input(14.0, type=input.integer)', 'x = input.int(14)', 0],
    [4, 'x = input("D", type=input.resolution)', 'x = input.timeframe("D")', 0],
    [4, 'x = input("0930-1600", type=input.session)', 'x = input.session("0930-1600")', 0],
    [3, 'x = input(tickerid, type=symbol)', 'x = input.symbol("")', 1],
    [3, 'x = input(close, type=source)', 'x = input.source(close)', 0],
    [3, 'x = input("a", options=["a", "b"])', 'x = input.string("a", options=["a", "b"])', 0],
    [4, 'x = input(true, "a", input.bool, confirm=true)', 'x = input.bool(true, "a", confirm=true)', 0],
    [4, 'x = input(timestamp("2020-01-01"), type=input.time)', 'x = input.time(timestamp("2020-01-01"))', 0],
    [4, 'x = input(close, minval=1)', 'x = input.source(close)', 1],
    [2, 'x = input(true, defval=true, title="a")', 'x = input.bool(true, title="a")', 1],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});

describe('variables of the script', () => {
  it.each<Rule>([
    [2, 'x = nz(x[1]) + 1', 'int x = na\nx := nz(x[1]) + 1', 0],
    [1, 'x = close > open ? close : x[1]', 'float x = na\nx := close > open ? close : x[1]', 0],
    [2, 'x = close > open ? true : x[1]', 'bool x = na\nx := close > open ? true : x[1]', 0],
    [2, 'a = nz(b[1])\nb = a + close', 'float b = na\na = nz(b[1])\nb := a + close', 0],
    [
      2,
      'f(y) =>\n    s = nz(s[1]) + y\nplot(f(close))',
      'f(y) =>\n    float s = na\n    s := nz(s[1]) + y\nplot(f(close))',
      0,
    ],
    [2, 'f(y) => s = nz(s[1]) + y\nplot(f(close))', 'f(y) => float s = na, s := nz(s[1]) + y\nplot(f(close))', 0],
    [3, 'x = na\nx := close', 'float x = na\nx := close', 0],
    [3, 'x = na\nx := close > open', 'bool x = na\nx := close > open', 0],
    [3, 'x = na', 'float x = na', 1],
    [3, 'x = 0\nx := close', 'float x = 0\nx := close', 0],
    [3, 'x = 0\nx := x[1] + 1', 'x = 0\nx := x[1] + 1', 0],
    [4, 'range = high - low\nplot(range)', 'range_ = high - low\nplot(range_)', 0],
    [4, 'f(type) => type + 1\nplot(f(type=2))', 'f(type_) => type_ + 1\nplot(f(type_=2))', 0],
    [3, 'var = 1\nplot(var)', 'var_ = 1\nplot(var_)', 0],
    [4, 'switch = 1, while = switch + 1\nplot(while)', 'switch_ = 1, while_ = switch_ + 1\nplot(while_)', 0],
    [4, 'text = 1, text_ = 2\nplot(text + text_)', 'text__ = 1, text_ = 2\nplot(text__ + text_)', 0],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});

describe('values of another kind', () => {
  it.each<Rule>([
    [3, 'plot(close > open)', 'plot(close > open ? 1 : 0)', 0],
    [3, 'x = (close > open) + 1', 'x = (close > open ? 1 : 0) + 1', 0],
    [3, 'x = close > open ? 1 : false', 'x = close > open ? 1 : 0', 0],
    [3, 'x = sum(close > open, 5)', 'x = math.sum(close > open ? 1 : 0, 5)', 0],
    [3, 'x = close > open ? 2 : 1\ny = x ? 3 : 4', 'x = close > open ? 2 : 1\ny = x ? 3 : 4', 0],
    [3, 'x = close > open\ny = x == 1', 'x = close > open\ny = (x ? 1 : 0) == 1', 0],
    [3, 'x = close > open\ny = x == true', 'x = close > open\ny = x == true', 0],
    [3, 'x = 1 / 2', 'x = 1 / 2', 1],
    [3, 'x = wma(close, sqrt(16))', 'x = ta.wma(close, int(math.sqrt(16)))', 1],
    [3, 'x = close[sqrt(4)]', 'x = close[int(math.sqrt(4))]', 1],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});

describe('layout and what stays', () => {
  it.each<Rule>([
    [3, 'sma(a, b) => a + b\nplot(sma(close, 1))', 'sma(a, b) => a + b\nplot(sma(close, 1))', 0],
    [3, 'rsi = rsi(close, 14)\nplot(rsi)', 'rsi = ta.rsi(close, 14)\nplot(rsi)', 0],
    [3, 'red = close\nplot(red)', 'red = close\nplot(red)', 0],
    [3, 'n = 5\nplot(n)', 'n = 5\nplot(n)', 0],
    [
      1,
      'x = close > open ? 1 :\n    close < open ? 2 :\n    3',
      'x = close > open ? 1 :\n     close < open ? 2 :\n     3',
      0,
    ],
    [3, 'x = close > open\n    and close > 1', 'x = close > open\n     and close > 1', 0],
    [4, 'x = close // sma(close, 5) and red', 'x = close // sma(close, 5) and red', 0],
  ])('of version %i: %j becomes %j', (...rule) => expectRule(rule));
});
