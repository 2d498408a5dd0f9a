import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseQueue } from '../../../src/shards/queue/queue-address.ts';

describe('the queue of a command', () => {
  it('is that of the flag, else that of the variable, and none if the flag says so', () => {
    assert.equal(chooseQueue('redis://one', 'redis://two')?.url, 'redis://one');
    assert.equal(chooseQueue(undefined, 'postgres://two/db')?.kind, 'postgres');
    assert.equal(chooseQueue(undefined, undefined), undefined);
    assert.equal(chooseQueue(undefined, ''), undefined);
    assert.equal(chooseQueue('none', 'redis://two'), undefined);
  });

  it('has no password in a flag, but that of the variable if both are of the same place and user', () => {
    for (const url of ['redis://:pw@host', 'postgres://me:pw@host/db', 'postgres://host/db?password=pw'])
      assert.throws(() => chooseQueue(url, undefined), { code: 'bad_option', message: /has a password/ });
    const secret = 'postgres://me:pw@host:5432/db';
    assert.equal(chooseQueue('postgres://host:5432/db', secret)?.url, secret);
    assert.equal(chooseQueue('postgres://me@host:5432/db', secret)?.url, secret);
    for (const other of [
      'postgres://you@host:5432/db',
      'postgres://host:5432/other',
      'postgres://elsewhere:5432/db',
    ])
      assert.equal(chooseQueue(other, secret)?.url, other);
  });

  it('is that of the variable if the flag is another spelling of the same place', () => {
    const redis = 'redis://:pw@host:6379/0';
    for (const flag of ['redis://host', 'redis://HOST/', 'redis://host:6379', 'redis://host/0'])
      assert.equal(chooseQueue(flag, redis)?.url, redis, flag);
    for (const flag of ['redis://host/1', 'redis://host:6380', 'rediss://host'])
      assert.equal(chooseQueue(flag, redis)?.url, flag);
    const postgres = 'postgresql://me:pw@host/db';
    assert.equal(chooseQueue('postgres://host:5432/db', postgres)?.url, postgres);
  });

  it('is shown without secrets, to other processes too', () => {
    const address = chooseQueue(undefined, 'redis://:p%40w@host:6379/2?keepAlive=1');
    assert.deepEqual([address?.name, address?.flag], ['redis://host:6379/2', 'redis://host:6379/2']);
    const user = chooseQueue('postgres://me@host/db', undefined);
    assert.deepEqual([user?.name, user?.flag], ['postgres://host/db', 'postgres://me@host/db']);
  });

  it('may be on a Unix socket', () => {
    assert.equal(
      chooseQueue('redis:///?path=/run/redis.sock', undefined)?.name,
      'redis:///?path=/run/redis.sock',
    );
    const { url, name } = chooseQueue('postgres://me@/db?host=/run/postgresql', undefined) ?? {};
    assert.equal(url, 'postgres://me@/db?host=/run/postgresql');
    assert.match(name ?? '', /db\?host=\/run\/postgresql$/);
  });

  it('is refused if it is none, without being quoted', () => {
    for (const text of ['secret', 'http://secret@host', '', 'redis'])
      assert.throws(
        () => chooseQueue(text, undefined),
        error => {
          assert.ok(error instanceof Error && !error.message.includes('secret'));
          return /expected redis:/.test(error.message);
        },
      );
  });
});
