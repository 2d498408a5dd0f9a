import assert from 'node:assert/strict';
import { it } from 'node:test';
import { connectReason } from '../../src/base/connection-error.ts';

const failure = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code });

it('a failure to connect is described with its address or code', () => {
  for (const [code, message, expected] of [
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'connection refused (127.0.0.1:1)'],
    ['ECONNREFUSED', 'connect ECONNREFUSED ::1:80 - Local (:::0)', 'connection refused (::1:80)'],
    ['ECONNREFUSED', '', 'connection refused (ECONNREFUSED)'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND no.such.host', 'host name not found (ENOTFOUND)'],
  ] as const)
    assert.equal(connectReason(failure(code, message)), expected);
});

it('other errors are left to the caller', () => {
  for (const code of ['EPIPE', 'toString']) assert.equal(connectReason(failure(code, 'x')), undefined);
});
