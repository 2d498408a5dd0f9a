import assert from 'node:assert/strict';
import { platform } from 'node:os';
import { describe, it } from 'node:test';
import { toUnreadableHome, unwritableHome } from '../../src/storage/local/home-folder.ts';
import { unreadable } from '../../src/storage/source.ts';
import { unwritable } from '../../src/storage/target.ts';

/** An error as Node makes it. */
const errorOf = (code: string, errno: number, reason: string): Error =>
  Object.assign(new Error(`${code}: ${reason}, write`), { code, errno, syscall: 'write' });

const stale = errorOf('Unknown system error -116', -116, 'Unknown system error -116');
const overQuota = errorOf('Unknown system error -122', -122, 'Unknown system error -122');

describe('an error of a disk that cannot be reached', () => {
  it('ends a command with 75, whatever it reads or writes', () => {
    const all = [stale, errorOf('ENOTCONN', -107, ''), errorOf('ETIMEDOUT', -110, '')];
    for (const cause of all) {
      for (const error of [
        unwritable('out', cause),
        unreadable('in', cause),
        unwritableHome('h', 'keys', cause),
      ])
        assert.equal(error.exitCode, 75, cause.message);
      assert.throws(() => toUnreadableHome('h', 'reports')(cause), { exitCode: 75 });
    }
  });

  it('has a reason in words, also if Node has none', { skip: platform() !== 'linux' }, () => {
    assert.equal(unwritable('out', stale).message, 'cannot write the output: stale file handle (ESTALE)');
    const { code, message } = unwritable('out', overQuota);
    assert.equal(`${message} [${code}]`, 'cannot write the output: disk quota exceeded (EDQUOT) [disk_full]');
  });

  it('is no other one', () => {
    for (const code of ['EIO', 'EACCES', 'EROFS', 'ENOTDIR', 'EPERM', 'ENAMETOOLONG']) {
      const cause = errorOf(code, -1, '');
      assert.equal(unwritable('out', cause, 'stopped').exitCode, 3);
      assert.equal(unreadable('in', cause).exitCode, 2);
    }
  });
});
