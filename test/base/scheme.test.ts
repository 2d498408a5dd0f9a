import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isLoopback } from '../../src/base/scheme.ts';

it('recognizes this machine by name, by address and as the host of a URL', () => {
  for (const host of ['localhost', 'LocalHost', 'app.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])
    assert.ok(isLoopback(host), host);
  for (const host of [
    '',
    'localhost.example.com',
    'notlocalhost',
    '128.0.0.1',
    '127.0.0.1.example.com',
    '::2',
    '0.0.0.0',
  ])
    assert.ok(!isLoopback(host), host);
});
