// Types and enums of a script: fields, defaults, objects, copies, members and titles.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf, programOf, typeOfName } from './testing/checked.ts';

const POINT = 'type Point\n    int x\n    float y = 1.5\n    Point next\n    array<Point> all\n    varip bool seen\n';

describe('types', () => {
  it('have fields with shapes and defaults', () => {
    const [point] = programOf(POINT).types;
    expect(point?.fields.map(({ name, varip }) => `${name}${varip ? ' varip' : ''}`)).toEqual([
      'x',
      'y',
      'next',
      'all',
      'seen varip',
    ]);
    expect(meaningOf(`${POINT}p = Point.new()`)).toBe(
      'Point p = Point.new(na:int, 1.5, na:Point, na:array<Point>, false)',
    );
    expect(meaningOf(`${POINT}p = Point.new()`, { version: 5 })).toContain('na:bool)');
    expect(meaningOf(`${POINT}p = Point.new(1, seen = true, y = 2)`)).toContain(
      'Point.new(1, 2, na:Point, na:array<Point>, true)',
    );
  });

  it('take constants from above and built-in variables as defaults', () => {
    expect(
      meaningOf(
        'const int N = 3\ntype T\n    int n = N\n    float c = close\n    string s = xloc.bar_time\nt = T.new()',
      ),
    ).toContain('T.new(N, close, "bar_time")');
    expect(placesOf('type T\n    float c = close + 1\n    int n = "a"\n    foo f\n    int n')).toEqual([
      'PE111 2:15',
      'PE110 3:13',
      'PE105 4:5',
      'PE134 5:9',
    ]);
  });

  it('are read and changed through any expression', () => {
    const script = `${POINT}a = array.new<Point>()\na.get(0).y := 2\na.get(0).next.x += 1\nz = a.first().next.y`;
    expect(meaningOf(script).split('\n').slice(1)).toEqual([
      'array.get(id=a, index=0).y := 2',
      'array.get(id=a, index=0).next.x += 1',
      'float z = array.first(id=a).next.y',
    ]);
    expect(placesOf(`${POINT}p = Point.new()\np.x := 1.5\np.z := 1\nq = p.foo`)).toEqual([
      'PE110 8:8',
      'PE106 9:3',
      'PE106 10:7',
    ]);
    expect(placesOf('x = close.foo')).toEqual(['PE106 1:11']);
  });

  it('are copied', () => {
    expect(meaningOf(`${POINT}p = Point.new()\nq = p.copy()\nr = Point.copy(q)`)).toContain(
      'Point q = copy(p)\nPoint r = copy(q)',
    );
    expect(placesOf(`${POINT}a = Point.copy()\nb = Point.copy(5)\nc = Point.copy(Point.new(), 1)`)).toEqual([
      'PE127 7:5',
      'PE110 8:16',
      'PE123 9:29',
    ]);
  });

  it('say what is wrong with new()', () => {
    expect(findingsOf(`${POINT}p = Point.new(yy = 1)`)).toEqual(['PE126 7:15 Point has no field yy. Did you mean y?']);
    expect(placesOf(`${POINT}p = Point.new(1, x = 2)`)).toEqual(['PE125 7:18']);
    expect(placesOf(`${POINT}p = Point.new(y = 1, 2)`)).toEqual(['PE124 7:22']);
    expect(placesOf(`${POINT}p = Point.new("a")`)).toEqual(['PE110 7:15']);
    expect(placesOf('type T\n    int a\np = T.new(1, 2)')).toEqual(['PE123 3:14']);
  });

  it('may be named like a drawing, but not like a plain type', () => {
    expect(meaningOf('type line\n    int n = 1\nx = line.new()')).toBe('line x = line.new(1)');
    expect(placesOf('type int\n    int n\ntype A\n    int n\ntype A\n    int n\nenum A\n    b')).toEqual([
      'PE108 1:6',
      'PE108 5:6',
      'PE108 7:6',
    ]);
  });

  it('of a chart.point have three fields', () => {
    expect(meaningOf('p = chart.point.new(1, 2, 3.5)\nx = p.price\np.index := 5')).toContain('float x = p.2\np.1 := 5');
  });
});

describe('enums', () => {
  const SIDE = 'enum Side\n    long = "Go long"\n    short\n';

  it('have members with titles', () => {
    expect(programOf(SIDE).enums[0]?.members).toEqual([
      { name: 'long', title: 'Go long' },
      { name: 'short', title: 'short' },
    ]);
    expect(typeOfName(`${SIDE}x = Side.long`, 'x')).toBe('const Side');
    expect(meaningOf(`${SIDE}Side s = na\ns := Side.short\nb = s == Side.long`)).toContain(
      'bool b = (s ==:item Side.long)',
    );
    expect(programOf(`${SIDE}s = input.enum(Side.long, "S")`).inputs[0]?.kind).toBe('enum');
  });

  it('do not mix', () => {
    expect(placesOf(`${SIDE}enum B\n    c\nx = Side.long == B.c`)).toEqual(['PE114 6:5']);
    expect(findingsOf(`${SIDE}x = Side.lng`)).toEqual([
      'PE106 4:10 The enum Side has no member lng. Did you mean long?',
    ]);
    expect(placesOf('enum E\n    a\n    a\n    b = 5')).toEqual(['PE135 3:5', 'PE135 4:9']);
  });
});
