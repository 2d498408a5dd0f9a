import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';

const markdown = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name));

const pages = ['.', 'docs'].flatMap(markdown);
/** What a scheduler of shards needs besides its examples. */
const LOCKS = ['requirements.txt'];

describe('the documentation', () => {
  for (const page of pages)
    it(`${page} links only to files and headings that exist`, () => {
      const text = textOf(page);
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
      const local = links.filter(link => !/^[a-z]+:/.test(link));
      assert.deepEqual(
        local.filter(link => !leadsSomewhere(page, link)),
        [],
      );
    });

  it('links every example for a scheduler', () => {
    const linked = pages.map(textOf).join('');
    const examples = ['schedulers', 'cluster'].flatMap(folder =>
      readdirSync(join(root, 'examples', folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !LOCKS.includes(entry.name))
        .map(({ parentPath, name }) => `(../${relative(root, join(parentPath, name))})`),
    );
    assert.ok(examples.length > 15);
    assert.deepEqual(
      examples.filter(link => !linked.includes(link)),
      [],
    );
  });

  it('names files that exist in the recipes of CONTRIBUTING.md', () => {
    const named = [...textOf('CONTRIBUTING.md').matchAll(/`((?:src|test)\/[^`]*)`/g)].map(
      ([, path = '']) => path,
    );
    assert.ok(named.length > 10, named.join());
    assert.deepEqual(
      named.filter(path => !path.includes('NAME') && !existsSync(join(root, path))),
      [],
    );
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(textOf(target)).includes(anchor));
}

/** Without code, where a `#` starts a comment and brackets are not links. */
const textOf = (page: string): string =>
  readFileSync(join(root, page), 'utf8')
    .replace(/^```.*?^```$/gms, '')
    .replace(/^ {4}.*$/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
