// What an `input*()` call lets users set: kind, title, default, limits and choices, checked as the language does.

import { constantMember } from './constants.ts';
import { CallConstants, orRefusal, quoted, type SpecRefusal } from './constants-of-call.ts';
import { acceptsValue, type InputRules, neededText, SOURCES } from './inputs-rules.ts';
import type { BuiltinCallExpr, ConstantValue, EnumExpr, Expr, InputKind, InputSpec } from './tree.ts';

const KINDS: readonly InputKind[] = [
  'int',
  'float',
  'bool',
  'string',
  'color',
  'source',
  'price',
  'session',
  'symbol',
  'text_area',
  'time',
  'timeframe',
  'enum',
];

/** `taken` are the titles of the inputs before it, `assignedTo` the variable that holds the value. */
export function inputSpec(
  call: BuiltinCallExpr,
  assignedTo: string | null,
  taken: ReadonlySet<string>,
): InputSpec | SpecRefusal {
  const constants = new CallConstants(call);
  return orRefusal(() => {
    const kind = kindOf(call);
    const title = constants.text('title') || assignedTo || `Input ${taken.size + 1}`;
    const rules = rulesOf(constants, call, kind);
    return {
      title: uniqueTitle(title, taken),
      variable: assignedTo,
      defaultValue: defaultOf(constants, call, rules),
      ...rules,
      step: stepOf(constants, call),
      group: constants.text('group') ?? '',
      inline: constants.text('inline') ?? '',
      tooltip: constants.text('tooltip') ?? '',
      confirm: constants.flag('confirm'),
      span: call.span,
    };
  });
}

/** The generic `input()` is what its default is; a default that changes from bar to bar makes it a source. */
function kindOf(call: BuiltinCallExpr): InputKind {
  const named = KINDS.find((kind) => call.name === `input.${kind}`);
  if (named !== undefined) return named;
  const type = call.overload.parameters[0]?.type;
  if (type === undefined || type.qualifier === 'series') return 'source';
  const { shape } = type;
  return KINDS.find((kind) => shape.kind === 'scalar' && shape.name === kind) ?? 'source';
}

/**
 * Users and runs find an input by its title, so a second "Length" becomes "Length (2)". The free number is found by
 * halving: counting up would take a hostile script of many equal titles the square of their number.
 */
function uniqueTitle(title: string, taken: ReadonlySet<string>): string {
  if (!taken.has(title)) return title;
  const numbered = (number: number) => `${title} (${number})`;
  let used = 1;
  let free = 2;
  while (taken.has(numbered(free))) {
    used = free;
    free *= 2;
  }
  while (free - used > 1) {
    const middle = (used + free) >> 1;
    if (taken.has(numbered(middle))) used = middle;
    else free = middle;
  }
  return numbered(free);
}

function rulesOf(constants: CallConstants, call: BuiltinCallExpr, kind: InputKind): InputRules {
  const [min, max] = [constants.number('minval'), constants.number('maxval')];
  if (min !== null && max !== null && min > max)
    return constants.refuse(
      'minval',
      `The 'minval' argument (${min}) of ${call.name}() is greater than the 'maxval' argument (${max}).`,
      'Exchange the two, or leave one of them out.',
    );
  const userEnum = kind === 'enum' ? memberOf(constants, call).userEnum : null;
  const open: InputRules = { kind, min, max, options: null, userEnum };
  return { ...open, options: optionsOf(constants, call, open) };
}

/** The value a step changes by when an arrow is clicked; na and none are the same. */
function stepOf(constants: CallConstants, call: BuiltinCallExpr): number | null {
  const step = constants.number('step');
  if (step === null || step > 0) return step;
  return constants.refuse(
    'step',
    `Invalid value of the 'step' argument (${step}) in the ${call.name}() call.`,
    'It must be greater than 0.',
  );
}

/** The choices in the order of the script; of an enum their titles, all of them where the call lists none. */
function optionsOf(
  constants: CallConstants,
  call: BuiltinCallExpr,
  rules: InputRules,
): readonly ConstantValue[] | null {
  const list = constants.expr('options');
  if (list?.kind !== 'tuple') return rules.userEnum?.members.map(({ title }) => title) ?? null;
  if (list.elements.length === 0)
    return constants.refuse('options', `The list of options of ${call.name}() is empty.`, 'List at least one value.');
  return list.elements.map((element) => {
    const value = rules.kind === 'enum' ? memberName(element) : constants.constantOf('options', element);
    if (value === undefined || !acceptsValue(rules, value))
      return constants.refuse(
        'options',
        `${value === undefined ? 'A value' : quoted(value)} in the list of options of ${call.name}() cannot be chosen.`,
        `Each of them must be ${neededText({ ...rules, options: null })}, known before the script runs.`,
      );
    return rules.kind === 'enum' ? titleOfMember(element) : value;
  });
}

function defaultOf(constants: CallConstants, call: BuiltinCallExpr, rules: InputRules): ConstantValue {
  if (rules.kind === 'source') return sourceName(constants.expr('defval'));
  const value = rules.kind === 'enum' ? memberName(memberOf(constants, call)) : constants.value('defval');
  if (value === undefined || value === null || Number.isNaN(value))
    return constants.refuse(
      'defval',
      `The 'defval' argument of ${call.name}() cannot be na.`,
      `Give it a value; it must be ${neededText(rules)}.`,
    );
  if (acceptsValue(rules, value)) return value;
  return constants.refuse(
    'defval',
    `Invalid value of the 'defval' argument (${quoted(value)}) in the ${call.name}() call.`,
    `It must be ${neededText(rules)}.`,
  );
}

/** The name of a series that users can choose by name; null for any other expression, which is the default itself. */
const sourceName = (expr: Expr | null): string | null =>
  expr?.kind === 'builtin' && SOURCES.includes(expr.name) ? expr.name : null;

function memberOf(constants: CallConstants, call: BuiltinCallExpr): EnumExpr {
  const expr = constants.expr('defval');
  const member = expr === null ? undefined : constantMember(expr);
  if (member !== undefined) return member;
  return constants.refuse(
    'defval',
    `The 'defval' argument of ${call.name}() must be a member of an enum.`,
    'Write the member itself, such as Direction.up.',
  );
}

const memberName = (expr: Expr): string | undefined => {
  const found = constantMember(expr);
  return found?.userEnum.members[found.member]?.name;
};

const titleOfMember = (expr: Expr): string => {
  const found = constantMember(expr);
  return found?.userEnum.members[found.member]?.title ?? '';
};
