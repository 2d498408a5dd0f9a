import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnNetwork, isPassingAt } from '../../../src/storage/local/network-mount.ts';

const mounts = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:50 / /data rw,relatime shared:20 - nfs4 server:/export rw,soft,timeo=100
41 40 8:2 / /data/scratch rw - xfs /dev/sdb1 rw
42 22 0:51 / /mnt/with\\040space rw - fuse.sshfs me@host:/ rw
43 22 0:52 / /mnt/usb rw - fuseblk /dev/sdc1 rw
`;

describe('a path', () => {
  for (const [path, isOn] of [
    ['/data', true],
    ['/data/in.csv', true],
    ['/mnt/with space/in.csv', true],
    ['/data/scratch/in.csv', false],
    ['/database/in.csv', false],
    ['/mnt/usb/in.csv', false],
    ['/in.csv', false],
  ] as const)
    it(`such as ${path} is ${isOn ? '' : 'not '}on a network file system`, () =>
      assert.equal(isOnNetwork(path, mounts), isOn));

  it('is not on a network file system if the mounts are not known', () =>
    assert.equal(isOnNetwork('/data', ''), false));
});

it('EIO of a local disk does not pass, and a stale handle does', () => {
  const errorOf = (code: string): Error => Object.assign(new Error(code), { code });
  assert.equal(isPassingAt('/proc/self/mem', errorOf('EIO')), false);
  assert.equal(isPassingAt('/proc/self/mem', errorOf('ESTALE')), true);
});
