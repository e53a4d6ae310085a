// Files are replaced whole, with their mode, and nothing is left behind.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'signalbox-replace-'));

describe('replacing a file', () => {
  it.each([0o600, 0o644, 0o755])('keeps the mode %o', (mode) => {
    const path = join(folder(), 'a.pine');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    replaceFile(path, 'new €');
    expect(readFileSync(path, 'utf8')).toBe('new €');
    expect(statSync(path).mode & 0o777).toBe(mode);
    expect(readdirSync(join(path, '..'))).toEqual(['a.pine']);
  });

  it('follows a link and leaves the link', () => {
    const dir = folder();
    writeFileSync(join(dir, 'real.pine'), 'old');
    symlinkSync('real.pine', join(dir, 'link.pine'));
    replaceFile(join(dir, 'link.pine'), 'new');
    expect(lstatSync(join(dir, 'link.pine')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(dir, 'real.pine'), 'utf8')).toBe('new');
  });

  it('never writes into a file that stands in its way', () => {
    const dir = folder();
    const inTheWay = join(dir, `.a.pine.${process.pid}.tmp`);
    writeFileSync(join(dir, 'a.pine'), 'old');
    writeFileSync(inTheWay, 'not yours');
    expect(() => replaceFile(join(dir, 'a.pine'), 'new')).toThrow(/a\.pine: it cannot be written \(EEXIST/);
    expect([readFileSync(inTheWay, 'utf8'), readFileSync(join(dir, 'a.pine'), 'utf8')]).toEqual(['not yours', 'old']);
  });

  it('of a folder or of nothing is refused, and nothing is left behind', () => {
    const dir = folder();
    mkdirSync(join(dir, 'sub'));
    expect(() => replaceFile(join(dir, 'sub'), 'x')).toThrow('cannot be written');
    expect(() => replaceFile(join(dir, 'none'), 'x')).toThrow('ENOENT');
    expect(readdirSync(dir)).toEqual(['sub']);
  });
});
