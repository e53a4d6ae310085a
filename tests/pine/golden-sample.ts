// One golden sample: a script with its expectations in comments, read into data.
//
//   // bars: ten                              the file golden/bars/ten.csv
//   // expect x: na, 1, 2.5, …                a series, bar by bar; "…" at the end leaves the rest unchecked
//   // expect "two words"@7: 3                one bar of it
//   // expect x: all 5                        the same on every bar
//   // error PE103 3:7 part of the message    a compile error; the code, the line and the column may be *
//   // warning * 3:* part of the message      the same, but the script still runs
//   // run-warning PE402 2:* part            a warning of the run; those that are not listed are faults
//   // runtime-error 4: part of the message   the bar it ends on
//   // input My length = 20                   JSON, or plain text
//   // symbol {"mintick":0.25}
//   // symbol-bars ETHUSDT:30 eth              bars of another symbol or timeframe: the file golden/bars/eth.csv
//   // library user/Name/1 file.pine          a file beside the sample
//   // alert 3: message                       exactly that message on that bar
//   // log info 3: message
//   // drawing {"kind":"line","x1":0}         one drawing has at least these properties
//   // trade long 1: 2 101 -> 5 105 = 4       quantity, bar and price of entry and exit, profit; all trades are listed,
//   // trade short 2.5: 7 99 -> open          closed ones in the order of their exits, then open ones, or none at all:
//   // trade none
//   // trading 2..8                           bars on which orders are taken: from the first up to but without the last
//
// Every other comment is for people. Columns count from 1.

export interface ExpectedSeries {
  readonly title: string;
  /** Null: all bars. */
  readonly bar: number | null;
  readonly values: readonly number[];
  readonly rest: 'none' | 'unchecked' | 'same';
}

export interface ExpectedDiagnostic {
  readonly severity: 'error' | 'warning';
  /** Null: any. */
  readonly code: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly part: string;
}

export interface ExpectedMessage {
  /** Of a log line its level. */
  readonly kind: string;
  readonly bar: number;
  readonly text: string;
}

export interface ExpectedTrade {
  readonly direction: 'long' | 'short';
  readonly quantity: number;
  readonly entryBar: number;
  readonly entryPrice: number;
  /** Null: it is open. */
  readonly exit: { readonly bar: number; readonly price: number; readonly profit: number } | null;
}

export interface LibraryFile {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly file: string;
}

export interface SampleSymbolBars {
  readonly symbol: string;
  readonly timeframe: string;
  readonly bars: string;
}

export interface Sample {
  readonly source: string;
  readonly bars: string | null;
  readonly series: readonly ExpectedSeries[];
  readonly diagnostics: readonly ExpectedDiagnostic[];
  readonly runWarnings: readonly ExpectedDiagnostic[];
  readonly runtimeError: ExpectedMessage | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly symbol: Readonly<Record<string, unknown>> | null;
  readonly symbolBars: readonly SampleSymbolBars[];
  readonly libraries: readonly LibraryFile[];
  readonly alerts: readonly ExpectedMessage[];
  readonly logs: readonly ExpectedMessage[];
  readonly drawings: readonly Readonly<Record<string, unknown>>[];
  /** Null: nothing is expected of them. */
  readonly trades: readonly ExpectedTrade[] | null;
  readonly trading: { readonly from: number; readonly to: number } | null;
}

type Growing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

interface Draft extends Omit<Growing<Sample>, 'inputs' | 'trades'> {
  inputs: Record<string, unknown>;
  trades: ExpectedTrade[] | null;
}

const DIRECTIVE =
  /^\/\/ (bars:|(?:expect|error|warning|run-warning|runtime-error|input|symbol-bars|symbol|library|alert|log|drawing|trade|trading)(?= ))\s*(.*)$/;

/** A comment that begins like an instruction but is none is a slip of the pen, not a remark. */
const NEARLY =
  /^\/\/\s*(?:bars?|expect\w*|errors?|warnings?|run-\S*|runtime\S*|inputs?|symbol|library|alerts?|logs?|drawings?|trades?|trading)\b/;

export function parseSample(source: string): Sample {
  const draft: Draft = {
    source,
    bars: null,
    series: [],
    diagnostics: [],
    runWarnings: [],
    runtimeError: null,
    inputs: {},
    symbol: null,
    symbolBars: [],
    libraries: [],
    alerts: [],
    logs: [],
    drawings: [],
    trades: null,
    trading: null,
  };
  for (const line of source.split(/\r?\n/)) {
    const found = DIRECTIVE.exec(line);
    if (found !== null) take(draft, found[1] as string, (found[2] as string).trim(), line);
    else if (NEARLY.test(line)) throw unreadable(line);
  }
  return draft;
}

/** What a sample expects, as a number: a sample without any tests nothing. */
export function expectationsOf(sample: Sample): number {
  const { series, diagnostics, runWarnings, runtimeError, alerts, logs, drawings, trades } = sample;
  const messages = alerts.length + logs.length + drawings.length + (trades === null ? 0 : 1);
  return series.length + diagnostics.length + runWarnings.length + messages + (runtimeError === null ? 0 : 1);
}

function take(draft: Draft, directive: string, rest: string, line: string): void {
  switch (directive) {
    case 'bars:':
      draft.bars = rest;
      return;
    case 'expect':
      draft.series.push(seriesOf(rest, line));
      return;
    case 'error':
    case 'warning':
      draft.diagnostics.push(diagnosticOf(directive, rest, line));
      return;
    case 'run-warning':
      draft.runWarnings.push(diagnosticOf('warning', rest, line));
      return;
    case 'runtime-error':
      draft.runtimeError = messageOf('runtime-error', rest, line);
      return;
    case 'alert':
      draft.alerts.push(messageOf('alert', rest, line));
      return;
    case 'log': {
      const [level = ''] = rest.split(' ');
      draft.logs.push(messageOf(level, rest.slice(level.length + 1), line));
      return;
    }
    case 'input': {
      const [, title, value] = match(/^(.+?) = (.*)$/, rest, line);
      draft.inputs[title as string] = jsonOrText(value as string);
      return;
    }
    case 'symbol':
      draft.symbol = JSON.parse(rest);
      return;
    case 'trade':
      draft.trades = [...(draft.trades ?? []), ...(rest === 'none' ? [] : [tradeOf(rest, line)])];
      return;
    case 'trading': {
      const [, from, to] = match(/^(\d+)\.\.(\d+)$/, rest, line);
      draft.trading = { from: Number(from), to: Number(to) };
      return;
    }
    case 'symbol-bars': {
      const [, symbol, timeframe, bars] = match(/^(\S*):(\w+) (\S+)$/, rest, line) as string[];
      draft.symbolBars.push({ symbol: symbol as string, timeframe: timeframe as string, bars: bars as string });
      return;
    }
    case 'drawing':
      draft.drawings.push(JSON.parse(rest));
      return;
    default: {
      const [, namespace, name, version, file] = match(/^([\w-]+)\/(\w+)\/(\d+) (\S+)$/, rest, line) as string[];
      draft.libraries.push({
        namespace: namespace as string,
        name: name as string,
        version: Number(version),
        file: file as string,
      });
    }
  }
}

function seriesOf(rest: string, line: string): ExpectedSeries {
  const [, quoted, plain, at, list] = match(/^(?:"([^"]+)"|([^"@:]+))(?:@(\d+))?: (.+)$/, rest, line);
  const title = quoted ?? (plain as string);
  const bar = at === undefined ? null : Number(at);
  const all = /^all (\S+)$/.exec(list as string);
  if (all !== null) return { title, bar, values: [numberOf(all[1] as string, line)], rest: 'same' };
  const words = (list as string).split(',').map((word) => word.trim());
  const isOpen = words.at(-1) === '…' || words.at(-1) === '...';
  const values = (isOpen ? words.slice(0, -1) : words).map((word) => numberOf(word, line));
  return { title, bar, values, rest: isOpen ? 'unchecked' : 'none' };
}

function tradeOf(rest: string, line: string): ExpectedTrade {
  const form = /^(long|short) (\S+): (\d+) (\S+) -> (?:open|(\d+) (\S+) = (\S+))$/;
  const [, direction, quantity, entryBar, entryPrice, exitBar, exitPrice, profit] = match(form, rest, line);
  const number = (word: string | undefined) => numberOf(word ?? '', line);
  return {
    direction: direction as 'long' | 'short',
    quantity: number(quantity),
    entryBar: number(entryBar),
    entryPrice: number(entryPrice),
    exit: exitBar === undefined ? null : { bar: number(exitBar), price: number(exitPrice), profit: number(profit) },
  };
}

function diagnosticOf(severity: 'error' | 'warning', rest: string, line: string): ExpectedDiagnostic {
  const [, code, atLine, atColumn, part] = match(/^(PE\d{3}|\*) (\d+|\*):(\d+|\*)(?: (.+))?$/, rest, line);
  const place = (text: string | undefined) => (text === '*' ? null : Number(text));
  return {
    severity,
    code: code === '*' ? null : (code as string),
    line: place(atLine),
    column: place(atColumn),
    part: part ?? '',
  };
}

function messageOf(kind: string, rest: string, line: string): ExpectedMessage {
  const [, bar, text] = match(/^(\d+):(?: (.*))?$/, rest, line);
  return { kind, bar: Number(bar), text: text ?? '' };
}

function numberOf(word: string, line: string): number {
  if (word === 'na') return Number.NaN;
  const value = Number(word);
  if (word === '' || Number.isNaN(value)) throw unreadable(line);
  return value;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function match(form: RegExp, text: string, line: string): (string | undefined)[] {
  const found = form.exec(text);
  if (found === null) throw unreadable(line);
  return found;
}

const unreadable = (line: string) => new Error(`a sample has a line that cannot be read: ${line}`);
