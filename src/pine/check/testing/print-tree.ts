// The checked tree as one short line per statement, for tests: shapes where they are not plain to see, no spans.

import type { Shape } from '../../builtins/types.ts';
import { shapeText } from '../../builtins/types.ts';
import type { Block, CheckedProgram, ConstantValue, Expr, Stmt, Structure } from '../tree.ts';

export const printProgram = ({ main }: CheckedProgram): string => main.statements.map(printStmt).join('\n');

const constant = (value: ConstantValue, shape: Shape): string => {
  if (value === null || Number.isNaN(value)) return `na:${shapeText(shape)}`;
  if (shape.kind === 'scalar' && shape.name === 'float' && Number.isInteger(value)) return `${value}.0`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
};

const block = ({ statements, value }: Block): string =>
  `{ ${[...statements.map(printStmt), ...(value === null ? [] : [`→ ${print(value)}`])].join('; ')} }`;

export function printStmt(node: Stmt): string {
  switch (node.kind) {
    case 'declare': {
      const { mode, name, type } = node.variable;
      return `${mode === 'plain' ? '' : `${mode} `}${shapeText(type.shape)} ${name} = ${print(node.value)}`;
    }
    case 'declare-tuple':
      return `[${node.variables.map((variable) => variable?.name ?? '_').join(', ')}] = ${print(node.value)}`;
    case 'assign':
      return `${node.variable.name} := ${print(node.value)}`;
    case 'assign-field':
      return `${print(node.target)} ${node.operator} ${print(node.value)}`;
    case 'evaluate':
      return print(node.value);
    default:
      return node.kind;
  }
}

/** Every operator in its own parentheses; arguments that stand at their defaults are left out. */
export function print(node: Expr): string {
  switch (node.kind) {
    case 'constant':
      return constant(node.value, node.type.shape);
    case 'variable':
      return node.variable.name;
    case 'builtin':
      return node.name;
    case 'history':
      return `${print(node.operand)}[${print(node.offset)}]`;
    case 'call': {
      const types = node.typeArguments.length === 0 ? '' : `<${node.typeArguments.map(shapeText).join(', ')}>`;
      const args = node.arguments.flatMap(({ parameter, values }) =>
        values.map((value) => `${parameter.name}=${print(value)}`),
      );
      return `${node.name}${types}(${args.join(', ')})`;
    }
    case 'user-call':
      return `${node.callee.name}#(${node.arguments.map(print).join(', ')})`;
    case 'field':
      return `${print(node.object)}.${node.owner === 'chart.point' ? node.field : node.owner.fields[node.field]!.name}`;
    case 'new':
      return `${node.userType.name}.new(${node.fields.map(print).join(', ')})`;
    case 'copy':
      return `copy(${print(node.object)})`;
    case 'enum':
      return `${node.userEnum.name}.${node.userEnum.members[node.member]!.name}`;
    case 'unary':
      return `(${node.operator} ${print(node.operand)})`;
    case 'binary':
      return `(${print(node.left)} ${node.operator}:${node.operands} ${print(node.right)})`;
    case 'conditional':
      return `(${print(node.condition)} ? ${print(node.whenTrue)} : ${print(node.whenFalse)})`;
    case 'tuple':
      return `[${node.elements.map(print).join(', ')}]`;
    case 'to-bool':
      return `bool!(${print(node.operand)})`;
    default:
      return printStructure(node);
  }
}

function printStructure(node: Structure): string {
  switch (node.kind) {
    case 'if': {
      const branches = node.branches.map(({ condition, body }) => `if ${print(condition)} ${block(body)}`);
      return [...branches, ...(node.otherwise === null ? [] : [block(node.otherwise)])].join(' else ');
    }
    case 'switch': {
      const arms = node.arms.map(({ match, body }) => `${print(match)} => ${block(body)}`);
      if (node.otherwise !== null) arms.push(`=> ${block(node.otherwise)}`);
      const subject = node.subject === null ? '' : ` ${print(node.subject)}:${node.operands}`;
      return `switch${subject} { ${arms.join('; ')} }`;
    }
    case 'for': {
      const step = node.step === null ? '' : ` by ${print(node.step)}`;
      const empty = node.empty === null ? '' : ` empty ${print(node.empty)}`;
      const { name, type } = node.counter;
      return `for ${shapeText(type.shape)} ${name} = ${print(node.from)} to ${print(node.to)}${step} ${block(node.body)}${empty}`;
    }
    case 'for-in': {
      const names = [...(node.index === null ? [] : [node.index]), node.item];
      const items = names.map(({ name, type }) => `${shapeText(type.shape)} ${name}`).join(', ');
      const empty = node.empty === null ? '' : ` empty ${print(node.empty)}`;
      return `for ${items} in ${print(node.collection)} ${block(node.body)}${empty}`;
    }
    case 'while':
      return `while ${print(node.condition)} ${block(node.body)}`;
    default:
      return `once${node.condition === null ? '' : ` ${print(node.condition)}`} ${block(node.body)}`;
  }
}
