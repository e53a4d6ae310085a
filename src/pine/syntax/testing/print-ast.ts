// The tree as one short line per statement, for tests: what was understood, without spans.

import type { Block, Expression, Name, Node, Parameter, Statement, TypeReference } from '../ast.ts';

export const printScript = (statements: readonly Statement[]): string => statements.map(printStatement).join('\n');

const type = ({ path, typeArguments }: TypeReference): string => {
  const name = path.map(({ text }) => text).join('.');
  return typeArguments.length === 0 ? name : `${name}<${typeArguments.map(type).join(', ')}>`;
};

const block = ({ statements }: Block): string => `{ ${statements.map(printStatement).join('; ')} }`;
const named = ({ text }: Name): string => (text === '' ? '⟨name⟩' : text);
const words = (...parts: readonly (string | null | false)[]): string => parts.filter((part) => part).join(' ');

const slot = (row: Pick<Parameter, 'type' | 'name' | 'defaultValue'>, ...lead: readonly (string | null | false)[]) =>
  words(...lead, row.type && type(row.type), named(row.name), row.defaultValue && `= ${print(row.defaultValue)}`);

export function printStatement(node: Statement): string {
  switch (node.kind) {
    case 'variable':
      return words(
        node.exported && 'export',
        node.mode,
        node.qualifier,
        node.type && type(node.type),
        named(node.name),
        `= ${print(node.value)}`,
      );
    case 'tuple-declaration':
      return `[${node.names.map(named).join(', ')}] = ${print(node.value)}`;
    case 'assignment':
      return `${print(node.target)} ${node.operator} ${print(node.value)}`;
    case 'function': {
      const parameters = node.parameters.map((row) => slot(row, row.qualifier)).join(', ');
      const head = words(node.exported && 'export', node.method ? 'method' : 'function', named(node.name));
      return `${head}(${parameters}) ${block(node.body)}`;
    }
    case 'type': {
      const fields = node.fields.map((row) => slot(row, row.varip && 'varip')).join('; ');
      return words(node.exported && 'export', 'type', named(node.name), `{ ${fields} }`);
    }
    case 'enum': {
      const members = node.members
        .map(({ name, title }) => words(named(name), title && `= ${print(title)}`))
        .join('; ');
      return words(node.exported && 'export', 'enum', named(node.name), `{ ${members} }`);
    }
    case 'import': {
      const path = `${named(node.publisher)}/${named(node.library)}/${node.version}`;
      return words('import', path, node.alias && `as ${named(node.alias)}`);
    }
    case 'expression':
      return print(node.expression);
    case 'error':
      return `error { ${node.statements.map(printStatement).join('; ')} }`;
    default:
      return node.kind;
  }
}

/** Every operator in its own parentheses, so that precedence is visible. */
export function print(node: Expression): string {
  switch (node.kind) {
    case 'string':
      return JSON.stringify(node.value);
    case 'color':
      return `#${node.value.toString(16).padStart(8, '0')}`;
    case 'int':
    case 'bool':
      return String(node.value);
    case 'float':
      return `${node.value}f`;
    case 'identifier':
      return node.name;
    case 'hole':
      return '⟨hole⟩';
    case 'member':
      return `${print(node.object)}.${named(node.property)}`;
    case 'history':
      return `${print(node.operand)}[${print(node.offset)}]`;
    case 'call': {
      const types = node.typeArguments.length === 0 ? '' : `<${node.typeArguments.map(type).join(', ')}>`;
      const list = node.arguments.map(({ name, value }) => words(name && `${name.text} =`, print(value)));
      return `${print(node.callee)}${types}(${list.join(', ')})`;
    }
    case 'unary':
      return `(${node.operator} ${print(node.operand)})`;
    case 'binary':
      return `(${print(node.left)} ${node.operator} ${print(node.right)})`;
    case 'conditional':
      return `(${print(node.condition)} ? ${print(node.whenTrue)} : ${print(node.whenFalse)})`;
    case 'tuple':
      return `[${node.elements.map(print).join(', ')}]`;
    default:
      return printStructure(node);
  }
}

function printStructure(node: Expression): string {
  switch (node.kind) {
    case 'if': {
      const branches = node.branches.map(({ condition, body }) => `if ${print(condition)} ${block(body)}`);
      return words(branches.join(' else '), node.otherwise && `else ${block(node.otherwise)}`);
    }
    case 'for': {
      const step = node.step && `by ${print(node.step)}`;
      return words('for', named(node.counter), '=', print(node.from), 'to', print(node.to), step, block(node.body));
    }
    case 'for-in': {
      const names = node.index === null ? named(node.item) : `[${named(node.index)}, ${named(node.item)}]`;
      return `for ${names} in ${print(node.collection)} ${block(node.body)}`;
    }
    case 'while':
      return `while ${print(node.condition)} ${block(node.body)}`;
    case 'switch': {
      const arms = node.arms.map(({ match, body }) => words(match && print(match), '=>', block(body)));
      return words('switch', node.subject && print(node.subject), `{ ${arms.join('; ')} }`);
    }
    case 'once':
      return words('once', node.condition && print(node.condition), block(node.body));
    default:
      return node.kind;
  }
}

/** A copy of a tree without its spans and offsets, to compare what two texts mean. */
export function withoutSpans(node: Node): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === 'span' || key === 'target' ? undefined : value)));
}
