// Attempts to get out of a Pine script, through the engine that runs strangers' scripts: none reaches JavaScript.
//
// Each attempt would set a mark on the global object, read what a script must not see, or change what all objects share.
// It may be refused or it may run as plain Pine; what counts is that the mark is not there and nothing of the machine is
// in the answer.

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createJobRunner } from '../../src/adapters/scripts/run-job.ts';
import { barColumns } from '../../src/pine/index.ts';

const MARK = 'signalboxEscaped';
const CODE = `globalThis.${MARK} = process.env.HOME`;
const SECRET = 'SIGNALBOX_SANDBOX_SECRET';
const BARS = barColumns(
  Array.from({ length: 40 }, (_, i) => ({ time: i * 60_000, open: 1, high: 2, low: 1, close: 1 + (i % 5), volume: 1 })),
);

/** Names of JavaScript that a script could ask for. */
const NAMES = [
  ...[
    'process',
    'require',
    'globalThis',
    'global',
    'window',
    'self',
    'module',
    'exports',
    'Function',
    'eval',
    'Object',
  ],
  ...['Reflect', 'Proxy', 'Symbol', 'Buffer', 'fetch', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'setTimeout'],
  ...['arguments', 'this', 'new', 'L', 'runtime', 'create', 'undefined', 'NaN', 'Infinity', 'async', 'await', 'yield'],
];

/** Text that would end a string, a comment or a template of JavaScript and go on as code. */
const TEXTS = [
  `"; ${CODE}; "`,
  `'; ${CODE}; '`,
  `\`; ${CODE}; \``,
  `\${${CODE}}`,
  `*/ ${CODE} /*`,
  `\u2028${CODE}\u2028`,
  `\u2029${CODE}`,
  `</script><script>${CODE}</script>`,
  `\\\\"; ${CODE} //`,
  `\\"; ${CODE} //`,
  `\u0000"; ${CODE}`,
  `"+(()=>{${CODE}})()+"`,
];

/** How Pine writes such a text. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** As it is, where a careless writer would not have escaped it. */
const bare = (text: string): string => `"${text}"`;

const script = (body: string): string => `//@version=6\nindicator("x")\n${body}\nplot(close)`;

const ATTEMPTS: readonly (readonly [name: string, source: string])[] = [
  ...NAMES.map((name) => [`the name ${name}`, script(`v = ${name}`)] as const),
  ...NAMES.slice(0, 12).map((name) => [`a call of ${name}`, script(`v = ${name}("${CODE}")`)] as const),
  ...TEXTS.map((text) => [`the text ${JSON.stringify(text)}`, script(`v = ${quoted(text)}\nlog.info(v)`)] as const),
  ...TEXTS.map((text) => [`the unescaped text ${JSON.stringify(text)}`, script(`v = ${bare(text)}`)] as const),
  ...TEXTS.map(
    (text) =>
      [
        `the title ${JSON.stringify(text)}`,
        `//@version=6\nindicator(${quoted(text)})\nplot(close, ${quoted(text)})`,
      ] as const,
  ),
  ...TEXTS.slice(0, 6).map(
    (text) => [`an input called ${JSON.stringify(text)}`, script(`v = input.int(1, ${quoted(text)})`)] as const,
  ),
  ['the constructor of a number', script(`v = close.constructor("${CODE}")`)],
  ['the constructor of a text', script(`v = "a".constructor.constructor("${CODE}")()`)],
  ['the constructor of an array', script(`a = array.new<float>(1)\nv = a.constructor("${CODE}")`)],
  ['the prototype of an array', script('a = array.new<float>(1)\nv = a.__proto__')],
  ['a method called toString', script('method toString(float x) => x\nv = close.toString()')],
  ['a method called valueOf', script('method valueOf(float x) => x\nv = close.valueOf()')],
  ['a variable called __proto__', script('__proto__ = 1\nv = __proto__')],
  ['a variable called constructor', script('constructor = 1\nv = constructor + 1')],
  ['a function called constructor', script('constructor(x) => x\nv = constructor(1)')],
  ['a type with a field __proto__', script('type T\n    float __proto__\nv = T.new(1.0)\nv.__proto__ := 2.0')],
  ['a type with a field constructor', script('type T\n    float constructor\nv = T.new(1.0)')],
  ['a type called Object', script('type Object\n    float a\nv = Object.new(1.0)')],
  ['an enum with a member __proto__', script('enum E\n    __proto__\nv = E.__proto__')],
  [
    'a map with the key __proto__',
    script('m = map.new<string, float>()\nm.put("__proto__", 1)\nv = m.get("__proto__")'),
  ],
  [
    'a map with the key constructor',
    script('m = map.new<string, float>()\nm.put("constructor", 1)\nv = m.get("constructor")'),
  ],
  ['a map read at a name it never had', script('m = map.new<string, string>()\nv = m.get("constructor")\nlog.info(v)')],
  ['an array read at a name', script('a = array.new<float>(1)\nv = array.get(a, "constructor")')],
  ['JavaScript in brackets', script(`v = close["constructor"]`)],
  ['a function of JavaScript', script(`v = (() => { ${CODE} })()`)],
  ['a template of JavaScript', script(`v = \`\${${CODE}}\``)],
  ['a comment that ends early', script(`// */ ${CODE} /*\nv = 1`)],
  ['an import of a path', '//@version=6\nindicator("x")\nimport ../../../etc/passwd/1 as p\nplot(close)'],
  [
    'an import of a module of Node',
    '//@version=6\nindicator("x")\nimport node/fs/1 as fs\nplot(fs.readFileSync("/etc/passwd"))',
  ],
  ['dynamic import', script('v = import("node:fs")')],
  ['letters that are not ASCII in a name', script(`\\u0070rocess = 1`)],
  ['format placeholders', script(`v = str.format("{0} {constructor} {__proto__}", close)\nlog.info(v)`)],
  ['a pattern that is code', script(`v = str.match("x", "(?{${CODE}})")`)],
  ['a loop without end', script('int n = 0\nwhile true\n    n += 1')],
  ['a text without end', script('var s = "x"\nfor i = 0 to 100\n    s := s + s')],
  ['an array without end', script('a = array.new<float>(0)\nwhile true\n    a.push(1)')],
  ['recursion', script('f(x) => f(x)\nv = f(1)')],
  ['a thousand nested brackets', script(`v = ${'('.repeat(1000)}1${')'.repeat(1000)}`)],
];

const globals = globalThis as Record<string, unknown>;
const shared = (): string[] =>
  [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype].flatMap((each) =>
    Object.getOwnPropertyNames(each),
  );

describe('a script does not get out', () => {
  const before = shared();
  const globalNames = new Set(Object.getOwnPropertyNames(globalThis));
  process.env[SECRET] = 'the-secret-of-the-machine';
  const answer = createJobRunner('service');
  afterEach(() => void delete globals[MARK]);
  afterAll(() => void delete process.env[SECRET]);

  it('there are enough attempts', () => {
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(60);
    const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
    expect(page).toContain(`(${ATTEMPTS.length} attempts)`);
    expect(new Set(ATTEMPTS.map(([, source]) => source)).size).toBe(ATTEMPTS.length);
  });

  it('and what would be found is found', () => {
    new Function(CODE)();
    expect(MARK in globalThis).toBe(true);
  });

  it.each(ATTEMPTS)('by %s', (_, source) => {
    const outcome = answer({ kind: 'evaluate', source, bars: BARS, runId: 'attempt' });
    const words = outcome.kind === 'answer' ? Buffer.from(outcome.json).toString() : JSON.stringify(outcome);
    expect(MARK in globalThis).toBe(false);
    expect(shared()).toEqual(before);
    expect(Object.getOwnPropertyNames(globalThis).filter((name) => !globalNames.has(name))).toEqual([]);
    expect(words).not.toMatch(/the-secret-of-the-machine|\[native code\]|root:x:0|\[object (?:process|global)/i);
    // A fault of ours would be told as one; none of these may cause it.
    expect(words).not.toMatch(/internal error|TypeError|ReferenceError|SyntaxError/i);
  });
});
