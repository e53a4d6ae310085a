// The syntax tree: one discriminated union of nodes, each with its span; parentheses leave no node behind.

import type { Span } from './span.ts';
import type { AssignmentOperator, Qualifier } from './tokens.ts';

interface Base {
  readonly span: Span;
}

/** A word where a declaration or a member names something; its text is empty where the word is still missing. */
export interface Name extends Base {
  readonly kind: 'name';
  readonly text: string;
}

/** `int`, `Lib.Type`, `array<float>`, `map<string, float>`; `int[]` is read as `array<int>`. */
export interface TypeReference extends Base {
  readonly kind: 'type-reference';
  /** One name, or the alias of a library and a name of it. */
  readonly path: readonly Name[];
  readonly typeArguments: readonly TypeReference[];
}

// Expressions

export interface IntLiteral extends Base {
  readonly kind: 'int';
  readonly value: number;
}

export interface FloatLiteral extends Base {
  readonly kind: 'float';
  readonly value: number;
}

export interface StringLiteral extends Base {
  readonly kind: 'string';
  readonly value: string;
}

export interface ColorLiteral extends Base {
  readonly kind: 'color';
  /** 0xRRGGBBAA, unsigned; a color without alpha is opaque. */
  readonly value: number;
}

export interface BoolLiteral extends Base {
  readonly kind: 'bool';
  readonly value: boolean;
}

/** `na` as a value; `na(x)` is a call of the identifier `na`. */
export interface NaLiteral extends Base {
  readonly kind: 'na';
}

export interface Identifier extends Base {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface Member extends Base {
  readonly kind: 'member';
  readonly object: Expression;
  readonly property: Name;
}

/** `operand[offset]`, the value of an earlier bar. */
export interface History extends Base {
  readonly kind: 'history';
  readonly operand: Expression;
  readonly offset: Expression;
}

export interface Argument extends Base {
  readonly kind: 'argument';
  readonly name: Name | null;
  readonly value: Expression;
}

export interface Call extends Base {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly typeArguments: readonly TypeReference[];
  readonly arguments: readonly Argument[];
}

export type UnaryOperator = 'not' | '-' | '+';
export interface Unary extends Base {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export type BinaryOperator = 'or' | 'and' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';
export interface Binary extends Base {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Conditional extends Base {
  readonly kind: 'conditional';
  readonly condition: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

/** `[a, b]` as a value. */
export interface Tuple extends Base {
  readonly kind: 'tuple';
  readonly elements: readonly Expression[];
}

/** An expression that is still missing; it stands where the text should be. */
export interface Hole extends Base {
  readonly kind: 'hole';
}

// Structures: statements that may also stand as the value of a declaration, an assignment or a function

export interface Block extends Base {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
}

export interface IfBranch extends Base {
  readonly kind: 'if-branch';
  readonly condition: Expression;
  readonly body: Block;
}

/** `if`, every `else if`, and the `else`, side by side. */
export interface If extends Base {
  readonly kind: 'if';
  readonly branches: readonly IfBranch[];
  readonly otherwise: Block | null;
}

/** `for counter = from to to by step`. */
export interface For extends Base {
  readonly kind: 'for';
  readonly counter: Name;
  readonly from: Expression;
  readonly to: Expression;
  readonly step: Expression | null;
  readonly body: Block;
}

/** `for item in collection` and `for [index, item] in collection`. */
export interface ForIn extends Base {
  readonly kind: 'for-in';
  readonly index: Name | null;
  readonly item: Name;
  readonly collection: Expression;
  readonly body: Block;
}

export interface While extends Base {
  readonly kind: 'while';
  readonly condition: Expression;
  readonly body: Block;
}

export interface SwitchArm extends Base {
  readonly kind: 'switch-arm';
  /** Null for the default arm. */
  readonly match: Expression | null;
  readonly body: Block;
}

export interface Switch extends Base {
  readonly kind: 'switch';
  /** Null when the arms are conditions. */
  readonly subject: Expression | null;
  readonly arms: readonly SwitchArm[];
}

/** Runs its block on the first closed bar on which the condition holds, then never again (v6). */
export interface Once extends Base {
  readonly kind: 'once';
  /** Null means always. */
  readonly condition: Expression | null;
  readonly body: Block;
}

export type Literal = IntLiteral | FloatLiteral | StringLiteral | ColorLiteral | BoolLiteral | NaLiteral;
export type Structure = If | For | ForIn | While | Switch | Once;
export type Expression =
  | Literal
  | Identifier
  | Member
  | History
  | Call
  | Unary
  | Binary
  | Conditional
  | Tuple
  | Hole
  | Structure;

// Statements

export type DeclarationMode = 'var' | 'varip';

export interface VariableDeclaration extends Base {
  readonly kind: 'variable';
  readonly exported: boolean;
  readonly mode: DeclarationMode | null;
  readonly qualifier: Qualifier | null;
  readonly type: TypeReference | null;
  readonly name: Name;
  readonly value: Expression;
}

export interface TupleDeclaration extends Base {
  readonly kind: 'tuple-declaration';
  readonly names: readonly Name[];
  readonly value: Expression;
}

export interface Assignment extends Base {
  readonly kind: 'assignment';
  readonly operator: AssignmentOperator;
  /** An identifier or a member; anything else was reported. */
  readonly target: Expression;
  readonly value: Expression;
}

export interface Parameter extends Base {
  readonly kind: 'parameter';
  readonly qualifier: Qualifier | null;
  readonly type: TypeReference | null;
  readonly name: Name;
  readonly defaultValue: Expression | null;
}

export interface FunctionDeclaration extends Base {
  readonly kind: 'function';
  readonly exported: boolean;
  readonly method: boolean;
  readonly name: Name;
  readonly parameters: readonly Parameter[];
  readonly body: Block;
}

export interface Field extends Base {
  readonly kind: 'field';
  readonly varip: boolean;
  readonly type: TypeReference;
  readonly name: Name;
  readonly defaultValue: Expression | null;
}

export interface TypeDeclaration extends Base {
  readonly kind: 'type';
  readonly exported: boolean;
  readonly name: Name;
  readonly fields: readonly Field[];
}

export interface EnumMember extends Base {
  readonly kind: 'enum-member';
  readonly name: Name;
  readonly title: Expression | null;
}

export interface EnumDeclaration extends Base {
  readonly kind: 'enum';
  readonly exported: boolean;
  readonly name: Name;
  readonly members: readonly EnumMember[];
}

/** `import publisher/library/version as alias`. */
export interface ImportDeclaration extends Base {
  readonly kind: 'import';
  readonly publisher: Name;
  readonly library: Name;
  readonly version: number;
  readonly alias: Name | null;
}

export interface ExpressionStatement extends Base {
  readonly kind: 'expression';
  readonly expression: Expression;
}

export interface Break extends Base {
  readonly kind: 'break';
}

export interface Continue extends Base {
  readonly kind: 'continue';
}

/** Lines that could not be read; statements of a block that belongs to no header are kept for the editor. */
export interface ErrorStatement extends Base {
  readonly kind: 'error';
  readonly statements: readonly Statement[];
}

export type Statement =
  | VariableDeclaration
  | TupleDeclaration
  | Assignment
  | FunctionDeclaration
  | TypeDeclaration
  | EnumDeclaration
  | ImportDeclaration
  | ExpressionStatement
  | Break
  | Continue
  | ErrorStatement;

// The whole

/** `//@name text`, with the text of the comment lines that go on with it. */
export interface Annotation extends Base {
  readonly kind: 'annotation';
  readonly name: string;
  readonly text: string;
  /** The offset of the first word after it: the declaration it speaks of begins there. */
  readonly target: number;
}

export interface Script extends Base {
  readonly kind: 'script';
  readonly statements: readonly Statement[];
  readonly annotations: readonly Annotation[];
}

export type Node =
  | Script
  | Annotation
  | Statement
  | Expression
  | Block
  | IfBranch
  | SwitchArm
  | Argument
  | Parameter
  | Field
  | EnumMember
  | TypeReference
  | Name;
