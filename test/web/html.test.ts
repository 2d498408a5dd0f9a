import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pageOf } from '../../src/web/elements.ts';
import { flag, Html, html, named } from '../../src/web/html.ts';
import { character } from '../support/random-tests.ts';

/** Undoes the entities, as a browser does. */
const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

describe('the template html', () => {
  it('escapes every value, so that it is read back as it was and contains no markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), text => {
        const made = html`<p title="${text}">${text}</p>`.toString();
        const [, title, content] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/s.exec(made) ?? [];
        assert.equal(decoded(title ?? '-'), text);
        assert.equal(decoded(content ?? '-'), text);
      }),
    );
  });

  it('passes markup on, also in lists, and leaves out what is absent', () => {
    const items = ['a', '<b>'].map(text => html`<li>${text}</li>`);
    assert.equal(html`<ul>${items}</ul>`.toString(), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
    assert.equal(html`${undefined}${null}${false}${0}${''}`.toString(), '0');
  });

  it('cannot be imitated by an object from a request', () => {
    assert.throws(() => new Html(Symbol('html'), '<script>'), /made with the template/);
    const fake = JSON.parse('{"toString": "<script>", "text": "<script>"}');
    assert.throws(() => html`${fake}`);
  });

  it('isolates names of files from the text around them, and removes what changes the direction', () => {
    assert.equal(named('a\u202egpj.<exe>').toString(), '<bdi>a gpj.&lt;exe&gt;</bdi>');
    assert.equal(named('=cmd|"/c calc"!A1').toString(), '<bdi>=cmd|&quot;/c calc&quot;!A1</bdi>');
  });

  it('sets attributes without a value', () => {
    assert.equal(
      html`<input${flag('checked', true)}${flag('disabled', false)}>`.toString(),
      '<input checked>',
    );
  });
});

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
