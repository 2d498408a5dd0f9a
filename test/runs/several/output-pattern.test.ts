import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  fillPattern,
  folderOfPattern,
  globOfPattern,
  isOutputPattern,
  likePattern,
} from '../../../src/runs/several/output-pattern.ts';

const fill = (pattern: string, path: string, dir = '.') => fillPattern(pattern, { path, dir }, 7);

describe('the pattern of outputs', () => {
  it('puts in the name without the suffixes of format and compression', () => {
    const names = {
      'in/a.csv.gz': 'a',
      'b.tsv': 'b',
      'c.2026.csv': 'c.2026',
      d: 'd',
      '.e': '.e',
      'f.GZ': 'f',
    };
    for (const [path, name] of Object.entries(names))
      assert.equal(fill('out/{name}.csv', path), `out/${name}.csv`, path);
  });

  it('puts in the folder of the input and its number', () => {
    assert.equal(fill('out/{dir}/{index}-{name}.csv', 'in/eu/a.csv', 'eu'), 'out/eu/7-a.csv');
    assert.equal(fill('out/{dir}/{name}.csv', 'in/a.csv', '.'), 'out/a.csv');
  });

  it('never leads out of its folder', () => {
    for (const dir of ['..', '../x', '/etc', 'a/../../b'])
      assert.throws(() => fill('out/{dir}/{name}.csv', 'a.csv', dir), { code: 'usage', message: /lead out/ });
  });

  it('refuses placeholders that do not exist, with a suggestion', () => {
    assert.throws(() => fill('out/{nam}.csv', 'a.csv'), { code: 'usage', hint: /^Did you mean {name}\?/ });
    assert.throws(() => fill('out/{}.csv', 'a.csv'), { code: 'usage', hint: /^A pattern may contain/ });
  });

  it('finds its outputs again, by their names', () => {
    const isLike = likePattern('./out/{dir}/{name}-{index}.csv');
    for (const output of ['out/a-1.csv', 'out/eu/a-1.csv', 'out/eu/deep/a-b-12.csv'])
      assert.equal(isLike(output), true, output);
    for (const output of [
      'a-1.csv',
      'out/a.csv',
      'out/a-x.csv',
      'out/a-1xcsv',
      'out/a-1.csv.rejects',
      'new/out/a-1.csv',
    ])
      assert.equal(isLike(output), false, output);
    assert.equal(globOfPattern('out/{dir}/{name}-{index}.csv'), 'out/**/*-*.csv');
  });

  it('is told from a plain name, and has a fixed folder', () => {
    for (const name of ['-', 'a.csv', '{x}.csv', '{}']) assert.equal(isOutputPattern(name), false, name);
    for (const name of ['{name}', 'a/{dir}/b.csv', '{index}.csv']) assert.equal(isOutputPattern(name), true);
    assert.equal(folderOfPattern('out/{dir}/{name}.csv'), 'out');
    assert.equal(folderOfPattern('{name}.csv'), '.');
  });
});
