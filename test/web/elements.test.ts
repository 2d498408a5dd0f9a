import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageLinks, pageOf } from '../../src/web/elements.ts';

const many = Array.from({ length: 250 }, (_, i) => i);

describe('a page of a long list', () => {
  it('has a hundred rows, the last one the rest', () => {
    assert.deepEqual(pageOf(many, undefined), { shown: many.slice(0, 100), number: 1, count: 3 });
    assert.deepEqual(pageOf(many, '3').shown, many.slice(200));
  });

  it('is the first one if the address names none that exists', () => {
    for (const given of ['0', '4', '-1', '1.5', 'x', '']) assert.equal(pageOf(many, given).number, 1, given);
    assert.deepEqual(pageOf([], '2'), { shown: [], number: 1, count: 1 });
  });

  it('links to its neighbours, and a single page to nothing', () => {
    const links = (number: number) => String(pageLinks({ number, count: 3 }, { list: 'data', anchor: 'a' }));
    assert.match(links(1), /Page 1 of 3.*href="\?data=2#a"/);
    assert.match(links(2), /href="\?data=1#a".*Page 2 of 3.*href="\?data=3#a"/);
    assert.doesNotMatch(links(3), /data=4/);
    assert.equal(pageLinks({ number: 1, count: 1 }, { list: 'data', anchor: 'a' }), false);
  });
});
