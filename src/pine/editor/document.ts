// A script as an editor looks at it: its words, its tree, the types in it, and what it declares and imports.

import type { PineType, PineVersion, Shape } from '../builtins/types.ts';
import { check, type LibrarySource, type SemanticInfo, type VisibleName } from '../check/index.ts';
import type { EnumSymbol, Module, TypeSymbol } from '../check/scopes.ts';
import { describe, isUnknown } from '../check/shapes.ts';
import { childrenOf, type Name, type Node, type Script, type Span, walk } from '../syntax/index.ts';
import { parseWithTokens } from '../syntax/parser.ts';
import type { TokenRoles } from '../syntax/parser-state.ts';
import type { Comment } from '../syntax/scanner.ts';
import type { Token } from '../syntax/tokens.ts';

/** Stands where the cursor is while a text is being read; longer than any name that a "did you mean" looks at. */
export const CURSOR_MARK = `_cursor${'_'.repeat(64)}`;

/** Default values are shown on one line; beyond this they are cut. */
const MAX_SHOWN_TEXT = 80;

export class Document {
  readonly source: string;
  readonly script: Script;
  readonly version: PineVersion;
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly roles: TokenRoles;
  readonly info: SemanticInfo;
  readonly module: Module;
  readonly #libraries: readonly LibrarySource[];
  #namesByStart: ReadonlyMap<number, NamedNode> | null = null;

  constructor(source: string, libraries: readonly LibrarySource[] = []) {
    const { script, version, lexed, roles } = parseWithTokens(source);
    const { info, module } = check(script, { version, libraries });
    this.source = source;
    this.script = script;
    this.version = version;
    this.tokens = lexed.tokens;
    this.comments = lexed.comments;
    this.roles = roles;
    this.info = info;
    this.module = module;
    this.#libraries = libraries;
  }

  /** A piece of a script or library as written, on one line. */
  text({ library }: Module, { start, end }: Span): string {
    const source = library === null ? this.source : (this.#sourceOf(library) ?? '');
    const flat = source.slice(start, end).replaceAll(CURSOR_MARK, '').replace(/\s+/g, ' ');
    return flat.length > MAX_SHOWN_TEXT ? `${flat.slice(0, MAX_SHOWN_TEXT)}…` : flat;
  }

  #sourceOf(key: string): string | undefined {
    return (
      this.#libraries.find(({ namespace, name, version }) => `${namespace}/${name}/${version}` === key)?.source ??
      undefined
    );
  }

  /** The script's own names that may be written at an offset; types, enums and imports may also stand further down. */
  namesAt(offset: number): readonly VisibleName[] {
    const found = new Map(this.info.namesAt(offset).map((name) => [name.name, name]));
    for (const statement of this.script.statements) {
      if (statement.kind !== 'type' && statement.kind !== 'enum' && statement.kind !== 'import') continue;
      const { text, span } = statement.kind === 'import' ? (statement.alias ?? statement.library) : statement.name;
      if (text !== '' && !found.has(text)) found.set(text, { kind: statement.kind, name: text, span });
    }
    return [...found.values()];
  }

  /** The variable, parameter or counter of a name, if that is what the name means at an offset. */
  variableAt(name: string, offset: number): VisibleName | null {
    const found = this.info.namesAt(offset).find((one) => one.name === name);
    if (found === undefined) return null;
    return ['variable', 'parameter', 'counter'].includes(found.kind) ? found : null;
  }

  /** The type of the variable that is declared at a span, or null where it is not known. */
  typeDeclaredAt(span: Span): PineType | null {
    const found = this.#namedAt(span);
    const type = found === null ? null : this.info.typeOf(found.name);
    return type === null || isUnknown(type.shape) ? null : type;
  }

  /** What declares the variable, parameter or counter whose name stands at a span. */
  declarationAt(span: Span): Node | null {
    return this.#namedAt(span)?.holder ?? null;
  }

  /** All names are listed at once: a search from the top for each of them would take time with the square. */
  #namedAt({ start }: Span): NamedNode | null {
    this.#namesByStart ??= namesByStart(this.script);
    return this.#namesByStart.get(start) ?? null;
  }

  /** The user type behind a shape, with the module that declares it. */
  typeOf(shape: Shape): { readonly module: Module; readonly symbol: TypeSymbol } | null {
    if (shape.kind !== 'user') return null;
    for (const module of this.#modules())
      for (const symbol of module.types.values()) if (symbol.userType.key === shape.name) return { module, symbol };
    return null;
  }

  enumOf(shape: Shape): { readonly module: Module; readonly symbol: EnumSymbol } | null {
    if (shape.kind !== 'enum') return null;
    for (const module of this.#modules())
      for (const symbol of module.enums.values()) if (symbol.userEnum.key === shape.name) return { module, symbol };
    return null;
  }

  /** The script and every library it reaches through imports. */
  #modules(): Set<Module> {
    const found = new Set([this.module]);
    for (const module of found) for (const library of module.imports.values()) if (library !== null) found.add(library);
    return found;
  }
}

interface NamedNode {
  readonly name: Name;
  readonly holder: Node;
}

function namesByStart(script: Script): Map<number, NamedNode> {
  const found = new Map<number, NamedNode>();
  walk(script, (holder) => {
    for (const child of childrenOf(holder))
      if (child.kind === 'name') found.set(child.span.start, { name: child, holder });
    return undefined;
  });
  return found;
}

/** A shape in words, without a qualifier. */
export const shapeWords = (shape: Shape): string => typeWords({ qualifier: 'series', shape }).replace(/^series /, '');

/** A type in words, empty where it is not known. */
export const typeWords = (type: PineType | null): string =>
  type === null || isUnknown(type.shape) ? '' : describe(type);
