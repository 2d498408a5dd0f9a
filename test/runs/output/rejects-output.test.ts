import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { RejectsOutput } from '../../../src/runs/output/rejects-output.ts';
import { diskFiles, type Files } from '../../../src/storage/durable-files.ts';
import { LocalOutput } from '../../../src/storage/local/local-output.ts';
import { newFolder } from '../../support/folder.ts';

it('a rejects file that is closed while it is being opened is closed', async t => {
  const path = join(await newFolder(t), 'rejects');
  let closed = 0;
  const files: Files = {
    ...diskFiles,
    async open(...own) {
      const file = await diskFiles.open(...own);
      return { ...file, close: () => file.close().then(() => void closed++) };
    },
  };
  const rejects = new RejectsOutput(new LocalOutput(path, { files }));
  const writing = rejects.write(Buffer.from('a reject\n')).catch(() => {});
  await rejects.close();
  await writing;
  assert.equal(closed, 1);
});
