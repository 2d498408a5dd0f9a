import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBaseUrl, redacted } from '../../src/client/base-url.ts';

describe('a base URL', () => {
  it('keeps its path, without trailing slashes', () => {
    for (const [text, href] of [
      ['https://example.com', 'https://example.com/'],
      ['https://example.com/api/v1//', 'https://example.com/api/v1'],
      ['HTTPS://Example.COM:8443/Api/', 'https://example.com:8443/Api'],
    ] as const)
      assert.equal(readBaseUrl(text, false).href, href);
  });

  it('may be plain http on loopback only, unless the user allows it', () => {
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.8.7', '[::1]', '0x7f.1'])
      readBaseUrl(`http://${host}:8080`, false);
    for (const host of [
      'example.com',
      '10.0.0.1',
      'localhost.example.com',
      '127.0.0.1.example.com',
      '[::2]',
    ]) {
      assert.throws(() => readBaseUrl(`http://${host}/x`, false), {
        code: 'insecure_url',
        message: new RegExp(`http://${host.replace(/[[\]]/g, '\\$&')}/x`),
      });
      readBaseUrl(`http://${host}`, true);
    }
  });

  it('must not have user info, a query or a fragment, and the error does not repeat them', () => {
    for (const text of [
      'https://key-1234@example.com',
      'https://user:key-1234@example.com',
      'https://example.com/?token=key-1234',
      'https://example.com/#key-1234',
      'ftp://user:key-1234@example.com',
      'key-1234:8080',
      'user:key-1234@example.com',
      'https://key-1234 @',
    ])
      assert.throws(
        () => readBaseUrl(text, true),
        (error: Error & { code?: string; hint?: string }) => {
          assert.equal(error.code, 'bad_url');
          if (text !== 'key-1234:8080') assert.doesNotMatch(`${error.message} ${error.hint}`, /1234/, text);
          return true;
        },
      );
  });

  it('is shown without parts that may be secret', () => {
    assert.equal(redacted('https://u:p@example.com:1/a?b#c'), 'https://example.com:1/a');
    assert.equal(redacted('https://example.com'), 'https://example.com');
    assert.equal(redacted('mailto:me'), 'mailto:…');
    assert.equal(redacted('://'), '(unreadable URL)');
  });
});
