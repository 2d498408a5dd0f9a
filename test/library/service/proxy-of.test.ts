import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isExempt } from '../../../src/library/service/proxy-of.ts';

const exempt = (url: string, noProxy: string | undefined): boolean => isExempt(new URL(url), noProxy);

describe('NO_PROXY', () => {
  it('excepts a host and its subdomains, with or without a dot', () => {
    for (const list of [
      'example.com',
      '.example.com',
      '*.example.com',
      'EXAMPLE.com',
      'a, example.com',
      'a example.com b',
    ]) {
      assert.ok(exempt('https://example.com', list), list);
      assert.ok(exempt('https://api.Example.com/x', list), list);
      for (const other of ['https://notexample.com', 'https://example.com.evil.org', 'https://com'])
        assert.ok(!exempt(other, list), `${list} ${other}`);
    }
  });

  it('excepts everything with *, and nothing if it is empty or unset', () => {
    assert.ok(exempt('https://example.com', '*'));
    assert.ok(exempt('https://10.0.0.1', 'a,*'));
    for (const list of [undefined, '', ' ', ',', '.'])
      assert.ok(!exempt('https://example.com', list), String(list));
  });

  it('excepts addresses and ranges of addresses', () => {
    assert.ok(exempt('http://10.1.2.3:8080', '10.0.0.0/8'));
    assert.ok(!exempt('http://11.1.2.3:8080', '10.0.0.0/8'));
    assert.ok(exempt('http://127.0.0.1', '127.0.0.1'));
    assert.ok(exempt('http://[::1]', '::1'));
    assert.ok(exempt('http://[::1]:80', '[::1]:80'));
    assert.ok(exempt('http://[2001:db8::5]', '2001:db8::/32'));
    assert.ok(!exempt('http://[2001:db9::5]', '2001:db8::/32'));
    for (const wrong of ['10.0.0.0/33', '10.0.0.0/x', '/8', '10.0.0.0/-1'])
      assert.ok(!exempt('http://10.1.2.3', wrong), wrong);
    assert.ok(!exempt('http://localhost', '127.0.0.1'));
  });

  it('may except a port only', () => {
    assert.ok(exempt('https://example.com', 'example.com:443'));
    assert.ok(exempt('http://example.com', 'example.com:80'));
    assert.ok(!exempt('https://example.com:8443', 'example.com:443'));
  });
});
