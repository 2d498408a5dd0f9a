import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(name => join('docs', name)),
];

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });

describe('the paths that the documentation names', () => {
  it('exist', () => {
    const missing = pages
      .filter(page => page.endsWith('.md'))
      .flatMap(page => {
        const text = readFileSync(join(root, page), 'utf8');
        const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path);
        return named.filter(path => !isThere(path) && !path.includes('NAME')).map(path => `${page}: ${path}`);
      });
    assert.deepEqual(missing, []);
  });
});

it('comments name only files that exist', () => {
  const files = ['src', 'assembly', 'build', 'test'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  );
  const missing = files.flatMap(file => {
    const comments = readFileSync(join(root, file), 'utf8').matchAll(/(?<=^|\s)(?:\/\/|\/?\*).*$/gm);
    // Not the end of a pattern, such as *.test.ts.
    const named = [...comments].flatMap(
      ([comment]) => comment.match(/(?<![\w*./-])(?:[\w-]+\/)*[\w-]+\.ts\b/g) ?? [],
    );
    return named
      .filter(path => !files.some(existing => `/${existing}`.endsWith(`/${path}`)))
      .map(path => `${file}: ${path}`);
  });
  assert.deepEqual(missing, []);
});

/** Relative to the repository, to src, or the bare name of a file whose folder the sentence names. */
function isThere(path: string): boolean {
  const isBare = !path.includes('/');
  return (
    ['', 'src'].some(folder => existsSync(join(root, folder, path))) ||
    (isBare && sources.some(file => file.endsWith(`/${path}`)))
  );
}
