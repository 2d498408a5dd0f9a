import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageOf } from '../../src/web/elements.ts';

const many = Array.from({ length: 250 }, (_, i) => i);
const page = (given?: string, all = many) => pageOf(all, given, { list: 'data', anchor: 'a' });

describe('a page of a long list', () => {
  it('has a hundred rows, the last one the rest', () => {
    assert.deepEqual(page().shown, many.slice(0, 100));
    assert.deepEqual(page('3').shown, many.slice(200));
  });

  it('is the first one if the address names none that exists', () => {
    for (const given of ['0', '4', '-1', '1.5', 'x', '']) assert.equal(page(given).shown[0], 0, given);
    assert.deepEqual(page('2', []).shown, []);
  });

  it('links to its neighbours, and a single page to nothing', () => {
    const links = (given: string) => String(page(given).links);
    assert.match(links('1'), /Page 1 of 3.*href="\?data=2#a"/);
    assert.match(links('2'), /href="\?data=1#a".*Page 2 of 3.*href="\?data=3#a"/);
    assert.doesNotMatch(links('3'), /data=4/);
    assert.equal(page('1', [1]).links, false);
  });
});
