import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, workOn } from '../../support/shards/sharded.ts';

/** A folder that is removed, as assembling does, just after its worker has written such a file. */
const removedAfter = (folder: SharedFolder, kind: 'leases/' | 'beats/'): SharedFolder => {
  const then = async (name: string): Promise<void> => {
    if (name.startsWith(kind)) await folder.discard('assembled.json');
  };
  return {
    ...folder,
    async create(name, text) {
      const isNew = await folder.create(name, text);
      await then(name);
      return isNew;
    },
    async replace(name, text) {
      await folder.replace(name, text);
      await then(name);
    },
  };
};

describe('a worker that was suspended until the run was assembled', () => {
  for (const kind of ['leases/', 'beats/'] as const)
    it(`just after it wrote to ${kind} ends without an error, and does not make the folder again`, async t => {
      const sharded = await planShards(t, [hardCsv(10_000)], '.csv');
      await workOn({ ...sharded, shards: removedAfter(sharded.shards, kind) });
      assert.equal(existsSync(sharded.shards.path), false);
    });
});
