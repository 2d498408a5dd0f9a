import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nextPath } from '../../src/web/sign-in.ts';
import { character } from '../support/random-tests.ts';

const encoded = fc.string({ unit: character }).map(encodeURIComponent);

/** Any URL. The one of fast-check first makes a map of all characters. */
const url = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), encoded, encoded)
  .map(([scheme, authority, path, query]) => `${scheme}://${authority}/${path}?${query}`);

describe('where a sign-in leads', () => {
  it('is a page of the platform', () => {
    for (const path of ['/', '/runs', '/data/a-1/predict', '/predictions/churn_2'])
      assert.equal(nextPath(path), path);
  });

  it('is never another host, nor a route that changes something', () => {
    const others = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%2f/evil.example',
      '/a//b',
    ];
    for (const path of [...others, '/\tevil', '/platform/sign-out', 'javascript:alert(1)', '', undefined])
      assert.equal(nextPath(path), '/', path);
    fc.assert(
      fc.property(url, fc.string(), (url, text) => {
        for (const given of [url, `/${url}`, `//${text}`, `/${text}`])
          assert.equal(new URL(nextPath(given), 'http://own.example').host, 'own.example');
      }),
    );
  });
});
