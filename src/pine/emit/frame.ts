// The state of one function on one call path, as a class of the generated source: what outlives a bar, and its rollback.
//
// Fields are numbered and begin as the kind of value they will hold, so that every frame of a function has one shape.

interface Field {
  readonly name: string;
  readonly initial: string;
  /** How a tick is taken back: copied aside, by its own save and restore, the same where it may be missing, or not at all. */
  readonly rollback: 'copy' | 'own' | 'optional' | 'none';
}

export class Frame {
  readonly className: string;
  readonly #fields: Field[] = [];
  readonly #names = new Set<string>();

  constructor(className: string) {
    this.className = className;
  }

  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  /** A value that is copied aside at the end of a bar. */
  value(name: string, initial: string): void {
    this.#add({ name, initial, rollback: 'copy' });
  }

  /** A value that a tick changes for good. */
  kept(name: string, initial: string): void {
    this.#add({ name, initial, rollback: 'none' });
  }

  /** An object that is there from the start and can save itself. */
  part(name: string, initial: string): void {
    this.#add({ name, initial, rollback: 'own' });
  }

  /** An object that is made when it is first needed. */
  late(name: string): void {
    this.#add({ name, initial: 'null', rollback: 'optional' });
  }

  /** Names come from several counters; two fields of one name would change each other in silence. */
  #add(field: Field): void {
    if (this.#names.has(field.name)) throw new Error(`frame ${this.className} has two fields ${field.name}`);
    this.#names.add(field.name);
    this.#fields.push(field);
  }

  source(): string {
    const lines = this.#fields.flatMap(({ name, initial, rollback }) => {
      // A double first, so that the field is one whatever its first value is.
      const first = /^\(?-?\d/.test(initial) ? [`this.${name} = NaN;`] : [];
      const copy = rollback === 'copy' ? [`this.s_${name} = ${first.length > 0 ? 'NaN' : initial};`] : [];
      return [...first, `this.${name} = ${initial};`, ...copy];
    });
    return [
      `class ${this.className} {`,
      `constructor() {`,
      ...lines,
      ...(this.#fields.some(({ rollback }) => rollback === 'copy') ? ['this.save();'] : []),
      '}',
      `save() {${this.#rollback('save').join(' ')}}`,
      `restore() {${this.#rollback('restore').join(' ')}}`,
      '}',
    ].join('\n');
  }

  #rollback(method: 'save' | 'restore'): string[] {
    return this.#fields.flatMap(({ name, rollback }) => {
      if (rollback === 'none') return [];
      if (rollback === 'own') return [`this.${name}.${method}();`];
      if (rollback === 'optional') return [`if (this.${name} !== null) this.${name}.${method}();`];
      return [method === 'save' ? `this.s_${name} = this.${name};` : `this.${name} = this.s_${name};`];
    });
  }
}
