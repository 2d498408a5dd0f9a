import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectPattern, prefixOf } from '../../../src/storage/objects/object-backend.ts';

const urls = [
  's3://b/in/2026-11-20/a.csv',
  's3://b/in/2026-11-20/b.csv.gz',
  's3://b/in/2026-11-20/deep/c.csv.gz',
  's3://b/in/2026-11-21/d.csv.gz',
  's3://b/in/.hidden.csv',
  's3://b/in/(x)+%20/e.csv',
];

const matching = (pattern: string): string[] => urls.filter(objectPattern(pattern));

describe('a pattern of objects', () => {
  it('has a star that stops at a slash, and a double one that does not', () => {
    assert.deepEqual(matching('s3://b/in/2026-11-20/*.csv.gz'), [urls[1]]);
    assert.deepEqual(matching('s3://b/in/2026-11-20/**/*.csv.gz'), [urls[1], urls[2]]);
    assert.deepEqual(matching('s3://b/in/2026-11-*/*.csv.gz'), [urls[1], urls[3]]);
    assert.deepEqual(matching('s3://b/**/?.csv'), [urls[0], urls[5]]);
    assert.deepEqual(matching('s3://b/in/2026-11-2[01]/{a,d}.csv*'), [urls[0], urls[3]]);
  });

  it('matches names that begin with a dot, because nothing is hidden in a store', () => {
    assert.deepEqual(matching('s3://b/in/*.csv'), [urls[4]]);
  });

  it('is literal before its first special character', () => {
    assert.deepEqual(matching('s3://b/in/(x)+%20/*.csv'), [urls[5]]);
    assert.equal(prefixOf('s3://b/in/2026-11-*/x'), 's3://b/in/2026-11-');
  });
});
