import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startProfile } from '../../../../src/web/data/profile/start-profile.ts';

const BYTES = 16 << 20;
const line = '1234567,x\n';

describe('a profile that is made while its file arrives', () => {
  function started(t: TestContext, header: string) {
    const bytes = Buffer.from(header + line.repeat(Math.ceil(BYTES / line.length)));
    const running = startProfile({
      path: '',
      name: 'a.csv',
      format: 'csv',
      delimiter: undefined,
      maxRecordBytes: 1 << 20,
      maxColumns: 2_000,
      maxContentBytes: 1e9,
      maxGroupBytes: 1,
    });
    t.after(() => running.stop());
    const pass = (from: number, to: number): void => {
      for (let at = from; at < to; at += 1 << 18)
        running.write(bytes.subarray(at, Math.min(to, at + (1 << 18))));
    };
    return { running, pass, size: bytes.length };
  }

  it('lets the upload go on as soon as most of what has arrived is checked', async t => {
    const { running, pass, size } = started(t, 'a,b\n');
    let isKeptUp = false;
    const keptUp = running.keptUp(size).then(() => {
      isKeptUp = true;
    });
    const quarter = size >> 2;
    pass(0, quarter);
    await running.keptUp(quarter);
    assert.equal(isKeptUp, false);
    pass(quarter, size);
    await keptUp;
    running.end();
    assert.equal((await running.outcome).rows, Math.ceil(BYTES / line.length));
  });

  it('holds no upload whose file is wrong', async t => {
    const { running, pass, size } = started(t, 'a,b\n1,2,3\n');
    pass(0, size);
    await running.keptUp(2 * size);
    await assert.rejects(running.outcome, { code: 'too_many_fields' });
  });
});
