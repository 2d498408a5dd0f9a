import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { startProfile } from '../../../../src/web/data/profile/start-profile.ts';
import { newFolder } from '../../../support/folder.ts';

const BYTES = 16 << 20;
const line = '1234567,x\n';

describe('a profile that is made while its file arrives', () => {
  async function started(t: TestContext, header: string) {
    const path = join(await newFolder(t), 'a.csv');
    const text = header + line.repeat(Math.ceil(BYTES / line.length));
    await writeFile(path, text);
    const running = startProfile({
      path,
      name: 'a.csv',
      format: 'csv',
      delimiter: undefined,
      maxRecordBytes: 1 << 20,
      maxColumns: 2_000,
      maxContentBytes: 1e9,
      maxGroupBytes: 1,
    });
    t.after(() => running.stop());
    return { running, size: text.length };
  }

  it('lets the upload go on as soon as most of what has arrived is checked', async t => {
    const { running, size } = await started(t, 'a,b\n');
    let isKeptUp = false;
    const keptUp = running.keptUp(size).then(() => {
      isKeptUp = true;
    });
    running.onGrowth(size / 4);
    await running.keptUp(size / 4);
    assert.equal(isKeptUp, false);
    running.onGrowth(size);
    await keptUp;
    running.onWhole(size);
    assert.equal((await running.outcome).rows, Math.ceil(BYTES / line.length));
  });

  it('holds no upload whose file is wrong', async t => {
    const { running, size } = await started(t, 'a,b\n1,2,3\n');
    running.onGrowth(size);
    await running.keptUp(2 * size);
    await assert.rejects(running.outcome, { code: 'too_many_fields' });
  });
});
