import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrongKeys } from '../../../src/server/auth/require-key.ts';

const wrong = (keys: WrongKeys, address: string, times: number): number =>
  Array.from({ length: times }, () => keys.failed(address)).filter(seconds => seconds === 0).length;

test('an address may send twenty wrong keys, then one every six seconds; others are not affected', () => {
  let now = 0;
  const keys = new WrongKeys(() => now);
  assert.equal(wrong(keys, '192.0.2.1', 30), 20);
  assert.equal(wrong(keys, '192.0.2.2', 1), 1);
  now += 6_000;
  assert.equal(wrong(keys, '192.0.2.1', 5), 1);
  assert.equal(keys.failed('192.0.2.1'), 6);
});

test('all addresses of one IPv6 network count as one', () => {
  const keys = new WrongKeys(() => 0);
  wrong(keys, '2001:db8:1:2::1', 20);
  assert.ok(keys.failed('2001:db8:1:2:ffff::9') > 0);
  assert.equal(keys.failed('2001:db8:1:3::1'), 0);
});

test('the memory of addresses is bounded', () => {
  const keys = new WrongKeys(() => 0);
  for (let i = 0; i < 30_000; i++) keys.failed(`a${i}`);
  assert.ok(keys.size <= 10_000);
});
