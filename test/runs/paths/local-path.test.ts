import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localPath } from '../../../src/runs/paths/local-path.ts';
import { repair } from '../../../src/runs/repair/repair.ts';
import { resolveTarget } from '../../../src/storage/backends.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';

describe('what needs a local file refuses', () => {
  it('an output in a store', async () => {
    const target = await resolveTarget('s3://bucket/out.csv', false, withObjectStore('http://127.0.0.1:9'));
    assert.ok(target.durable);
    assert.throws(() => localPath(target, 'repair needs'), {
      code: 'usage',
      message: 'repair needs an output that is a local file',
    });
  });

  it('stdout', async () => {
    const unread = { corrected: 'none.csv', private: false, maxRecordBytes: 1 };
    await assert.rejects(repair({ output: '-', ...unread }), { code: 'usage' });
  });
});
