// The checked program, what the checker hands to the emitter: names resolved, types known, defaults filled in, and one
// instance of a user function for each combination of argument types it is called with.
//
// Everything the emitter would have to guess from is made plain here:
// - An expression always has the shape its place asks for, except that an int may stand where a float is asked for: both
//   are numbers at run time. A number where v5 wants a bool is wrapped in `to-bool`; na is a constant of a definite
//   shape, NaN for int and float and null for the rest (false for a v6 bool).
// - A block ends in the value it stands for, or in null where nobody asks for one; a missing branch is there, with na.
// - A call of a built-in has one entry per parameter that the script's version has, in the order of the signature.
//   Defaults that the table writes as Pine expressions are expressions like any other; only those in words are left out.

import type { Overload, Parameter } from '../builtins/model.ts';
import type { PineType, PineVersion, Shape } from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import type { AssignmentOperator } from '../syntax/tokens.ts';

// Names

/** How far back a series is read: none, the largest of constant offsets, or not known before it runs. */
export type HistoryDepth = number | 'any';

/** A variable, a parameter or a loop counter. One object per declaration and function instance; compared by identity. */
export interface Variable {
  readonly id: number;
  readonly name: string;
  type: PineType;
  /** `global`: declared outside every block, so that it has a value on every bar. `parameter` and `local` are not. */
  readonly scope: 'global' | 'local' | 'parameter';
  readonly mode: 'plain' | 'var' | 'varip';
  /** Whether anything but its declaration gives it a value. */
  reassigned: boolean;
  /** 0 when no `[]` reads it. */
  history: HistoryDepth;
  /** The value, where it is known at compile time and never changes. */
  constant?: ConstantValue;
  readonly span: Span;
}

/** As held at run time: na of a number is NaN, of anything else null; colors are 0xRRGGBBAA. */
export type ConstantValue = number | string | boolean | null;

export interface UserField {
  readonly name: string;
  readonly shape: Shape;
  readonly varip: boolean;
  readonly defaultValue: Expr;
}

export interface UserType {
  readonly id: number;
  /** As the script writes it; a library's with its alias. The shape `{kind: 'user', name}` has `key` as its name. */
  readonly name: string;
  readonly key: string;
  readonly fields: readonly UserField[];
}

export interface UserEnum {
  readonly id: number;
  readonly name: string;
  /** The name inside the shape `{kind: 'enum', name}`. */
  readonly key: string;
  readonly members: readonly { readonly name: string; readonly title: string }[];
}

/** A user function with the types of one kind of call. Never recursive. */
export interface FunctionInstance {
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly body: Block;
  readonly result: PineType;
  /** Version of the script or library it was written in. */
  readonly version: PineVersion;
  /** `publisher/library/version` of the text its spans belong to, or null for the script's own. */
  readonly library: string | null;
}

// Expressions

interface Base {
  readonly span: Span;
  readonly type: PineType;
}

export interface ConstantExpr extends Base {
  readonly kind: 'constant';
  readonly value: ConstantValue;
}

export interface VariableExpr extends Base {
  readonly kind: 'variable';
  readonly variable: Variable;
}

/** A built-in variable by its full name: `close`, `bar_index`, `ta.obv`, `syminfo.ticker`. Built-in constants are `constant`. */
export interface BuiltinExpr extends Base {
  readonly kind: 'builtin';
  readonly name: string;
}

/** `operand[offset]`; the depth is what this one place asks for. */
export interface HistoryExpr extends Base {
  readonly kind: 'history';
  readonly operand: Expr;
  readonly offset: Expr;
  readonly depth: HistoryDepth;
}

export interface CallArgument {
  readonly parameter: Parameter;
  /** None: left out, and the default is in words. Several: a parameter that takes any number. */
  readonly values: readonly Expr[];
}

export interface BuiltinCallExpr extends Base {
  readonly kind: 'call';
  readonly name: string;
  readonly overload: Overload;
  readonly arguments: readonly CallArgument[];
  /** What `array.new<float>()` has in its brackets. */
  readonly typeArguments: readonly Shape[];
  /** Place in `inputs` of an `input*()` call, in `outputs` of plots, levels, fills, colors and alertcondition. */
  readonly place?: number;
}

/** Arguments in the order of the parameters, defaults filled in. */
export interface UserCallExpr extends Base {
  readonly kind: 'user-call';
  readonly callee: FunctionInstance;
  readonly arguments: readonly Expr[];
}

/** A field of an object: of a user type, or `time`, `index`, `price` of a chart.point. */
export interface FieldExpr extends Base {
  readonly kind: 'field';
  readonly object: Expr;
  readonly owner: UserType | 'chart.point';
  /** Place in the type's fields; of a chart.point 0 time, 1 index, 2 price. */
  readonly field: number;
}

/** `T.new(…)`: one value per field. */
export interface NewExpr extends Base {
  readonly kind: 'new';
  readonly userType: UserType;
  readonly fields: readonly Expr[];
}

/** `T.copy(object)` and `object.copy()` of a user type. */
export interface CopyExpr extends Base {
  readonly kind: 'copy';
  readonly userType: UserType;
  readonly object: Expr;
}

export interface EnumExpr extends Base {
  readonly kind: 'enum';
  readonly userEnum: UserEnum;
  readonly member: number;
}

export interface UnaryExpr extends Base {
  readonly kind: 'unary';
  readonly operator: 'not' | '-' | '+';
  readonly operand: Expr;
}

/**
 * What an operator works on: ints compare exactly, floats with the tolerance, texts join, items (colors, bools, enums,
 * objects and collections) are only equal or not. References (lines and labels) are equal when they are the same one, na
 * included. `int-quotient` is the truncating `/` of two const ints in v5.
 */
export type OperandKind = 'int' | 'float' | 'string' | 'bool' | 'item' | 'reference';

export interface BinaryExpr extends Base {
  readonly kind: 'binary';
  readonly operator:
    | 'or'
    | 'and'
    | '=='
    | '!='
    | '<'
    | '<='
    | '>'
    | '>='
    | '+'
    | '-'
    | '*'
    | '/'
    | '%'
    | 'int-quotient';
  readonly operands: OperandKind;
  readonly left: Expr;
  readonly right: Expr;
  /** `and` and `or` of v6 look at the right side only when they must; those of v5 always do. */
  readonly lazy: boolean;
}

export interface ConditionalExpr extends Base {
  readonly kind: 'conditional';
  readonly condition: Expr;
  readonly whenTrue: Expr;
  readonly whenFalse: Expr;
}

export interface TupleExpr extends Base {
  readonly kind: 'tuple';
  readonly elements: readonly Expr[];
}

/** A number where v5 takes it for a bool: na and zero do not hold. */
export interface ToBoolExpr extends Base {
  readonly kind: 'to-bool';
  readonly operand: Expr;
}

// Structures. As statements their type is void and their blocks have no values.

export interface Block {
  readonly statements: readonly Stmt[];
  readonly value: Expr | null;
}

export interface IfExpr extends Base {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: Expr; readonly body: Block }[];
  readonly otherwise: Block | null;
}

/** With a subject, arms are compared to it by `operands`; without, they are conditions. */
export interface SwitchExpr extends Base {
  readonly kind: 'switch';
  readonly subject: Expr | null;
  readonly operands: OperandKind;
  readonly arms: readonly { readonly match: Expr; readonly body: Block }[];
  readonly otherwise: Block | null;
}

/** What a loop stands for when its body never ran, or null where nobody asks. */
interface LoopBase extends Base {
  readonly empty: Expr | null;
  readonly body: Block;
}

/** Without a step it counts by one, downwards when `from` is above `to`. v6 looks at `to` again before every turn. */
export interface ForExpr extends LoopBase {
  readonly kind: 'for';
  readonly counter: Variable;
  readonly from: Expr;
  readonly to: Expr;
  readonly step: Expr | null;
  readonly toIsDynamic: boolean;
}

/** Over an array: the item and its index; over a matrix: rows as arrays; over a map: key and value. */
export interface ForInExpr extends LoopBase {
  readonly kind: 'for-in';
  readonly index: Variable | null;
  readonly item: Variable;
  readonly collection: Expr;
}

export interface WhileExpr extends LoopBase {
  readonly kind: 'while';
  readonly condition: Expr;
}

/** Runs once, on the first closed bar on which the condition holds. */
export interface OnceExpr extends Base {
  readonly kind: 'once';
  readonly condition: Expr | null;
  readonly body: Block;
}

export type Structure = IfExpr | SwitchExpr | ForExpr | ForInExpr | WhileExpr | OnceExpr;

export type Expr =
  | ConstantExpr
  | VariableExpr
  | BuiltinExpr
  | HistoryExpr
  | BuiltinCallExpr
  | UserCallExpr
  | FieldExpr
  | NewExpr
  | CopyExpr
  | EnumExpr
  | UnaryExpr
  | BinaryExpr
  | ConditionalExpr
  | TupleExpr
  | ToBoolExpr
  | Structure;

// Statements

export interface DeclareStmt {
  readonly kind: 'declare';
  readonly variable: Variable;
  readonly value: Expr;
  readonly span: Span;
}

/** A name that is `_` has no variable. */
export interface DeclareTupleStmt {
  readonly kind: 'declare-tuple';
  readonly variables: readonly (Variable | null)[];
  readonly value: Expr;
  readonly span: Span;
}

/** `x := v`. Of `x += v` the value is already `x + v`. */
export interface AssignStmt {
  readonly kind: 'assign';
  readonly variable: Variable;
  readonly value: Expr;
  readonly span: Span;
}

/** `object.field := v`; the object is looked at once. Of `object.field += v`, `operator` is `+=` and the value is `v`. */
export interface AssignFieldStmt {
  readonly kind: 'assign-field';
  readonly target: FieldExpr;
  readonly operator: AssignmentOperator;
  readonly value: Expr;
  readonly span: Span;
}

export interface EvaluateStmt {
  readonly kind: 'evaluate';
  readonly value: Expr;
  readonly span: Span;
}

export interface JumpStmt {
  readonly kind: 'break' | 'continue';
  readonly span: Span;
}

export type Stmt = DeclareStmt | DeclareTupleStmt | AssignStmt | AssignFieldStmt | EvaluateStmt | JumpStmt;

// The whole

export type InputKind =
  | ('int' | 'float' | 'bool' | 'string' | 'color' | 'source' | 'price')
  | ('session' | 'symbol' | 'text_area' | 'time' | 'timeframe' | 'enum');

/** A value users can set before a run, as the script declares it. */
export interface InputSpec {
  /** What it is found by: its title, else the variable it is assigned to, else its kind and number. Unique. */
  readonly title: string;
  /** The variable it is assigned to, or null. */
  readonly variable: string | null;
  readonly kind: InputKind;
  /** Of a source the name of the series, or null where it is an expression; of an enum the member's name. */
  readonly defaultValue: ConstantValue;
  readonly min: number | null;
  readonly max: number | null;
  readonly step: number | null;
  /** Of an enum the titles of its members. */
  readonly options: readonly ConstantValue[] | null;
  readonly group: string;
  readonly inline: string;
  readonly tooltip: string;
  readonly confirm: boolean;
  readonly userEnum: UserEnum | null;
  readonly span: Span;
}

/** A call that draws or alerts once per bar, in the order of the script: plot, hline, fill, bgcolor, alertcondition… */
export interface OutputSpec {
  readonly name: string;
  /** The title argument, or null: then the engine names it by its kind and number. */
  readonly title: string | null;
  readonly call: BuiltinCallExpr;
}

export interface CheckedProgram {
  readonly version: PineVersion;
  readonly scriptType: 'indicator' | 'strategy' | 'library';
  readonly title: string;
  /** The other arguments of indicator(), strategy() or library() by name, defaults in words left out. */
  readonly settings: Readonly<Record<string, ConstantValue>>;
  readonly declaredAt: Span;
  readonly types: readonly UserType[];
  readonly enums: readonly UserEnum[];
  readonly functions: readonly FunctionInstance[];
  readonly main: Block;
  readonly inputs: readonly InputSpec[];
  readonly outputs: readonly OutputSpec[];
}
