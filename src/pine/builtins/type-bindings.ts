// Finds out what the type variables of a signature stand for in one call, and writes them out.

import {
  arrayOf,
  elementFits,
  joinShapes,
  NA,
  type PineVersion,
  qualifierFits,
  type Shape,
  shapeFits,
  type TypeVariableName,
  tupleOf,
  typeOf,
  variableAccepts,
} from './types.ts';

interface Binding {
  readonly shape: Shape;
  /** Fixed by a collection or by angle brackets; otherwise a later argument may still widen int to float. */
  readonly fixed: boolean;
}

export class TypeBindings {
  readonly #version: PineVersion;
  readonly #bound = new Map<TypeVariableName, Binding>();

  constructor(version: PineVersion) {
    this.#version = version;
  }

  /** Sets a variable from the angle brackets of the call; false when it may not stand for the shape. */
  fix(name: TypeVariableName, shape: Shape): boolean {
    if (!variableAccepts(name, shape)) return false;
    this.#bound.set(name, { shape, fixed: true });
    return true;
  }

  /** Whether an argument of the shape may be given, remembering what the variables must be for it. */
  accept(from: Shape, to: Shape, fixed = false): boolean {
    if (to.kind === 'variable') return this.#acceptVariable(to.name, from, fixed);
    if (from.kind === 'na') return shapeFits(NA, to, this.#version);
    if (to.kind === 'choices' && from.kind === 'tuple')
      return from.items.every((item) => qualifierFits(item.qualifier, 'const') && this.accept(item.shape, to.element));
    if ((to.kind === 'array' || to.kind === 'matrix') && from.kind === to.kind)
      return this.accept(from.element, to.element, true);
    if (to.kind === 'map' && from.kind === 'map')
      return this.accept(from.key, to.key, true) && this.accept(from.value, to.value, true);
    return fixed ? elementFits(from, to) : shapeFits(from, to, this.#version);
  }

  #acceptVariable(name: TypeVariableName, from: Shape, fixed: boolean): boolean {
    const bound = this.#bound.get(name);
    if (from.kind === 'na') return bound === undefined || shapeFits(NA, bound.shape, this.#version);
    if (bound === undefined) {
      if (!variableAccepts(name, from)) return false;
      this.#bound.set(name, { shape: from, fixed });
      return true;
    }
    if (bound.fixed) return fixed ? elementFits(from, bound.shape) : shapeFits(from, bound.shape);
    const shape = fixed ? (shapeFits(bound.shape, from) ? from : null) : joinShapes(bound.shape, from);
    if (shape === null || !variableAccepts(name, shape)) return false;
    this.#bound.set(name, { shape, fixed });
    return true;
  }

  /** The shape with every bound variable written out. An array of a tuple is a tuple of arrays, as Pine returns it. */
  fill(shape: Shape): Shape {
    switch (shape.kind) {
      case 'variable':
        return this.#bound.get(shape.name)?.shape ?? shape;
      case 'array': {
        const element = this.fill(shape.element);
        if (element.kind !== 'tuple') return arrayOf(element);
        return tupleOf(element.items.map((item) => typeOf('series', arrayOf(item.shape))));
      }
      case 'matrix':
      case 'choices':
        return { kind: shape.kind, element: this.fill(shape.element) };
      case 'map':
        return { kind: 'map', key: this.fill(shape.key), value: this.fill(shape.value) };
      case 'tuple':
        return tupleOf(shape.items.map((item) => typeOf(item.qualifier, this.fill(item.shape))));
      default:
        return shape;
    }
  }
}
