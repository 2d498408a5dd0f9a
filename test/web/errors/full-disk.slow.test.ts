import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { fillDisk, mountDisk, noSmallDisk, unmountDisk } from '../../cluster/harness/small-disk.ts';
import { newFolder } from '../../support/folder.ts';
import { csv, history } from '../../support/service/history.ts';
import { ownedPlatform } from '../../support/web/platform.ts';
import { uploaded } from '../../support/web/uploaded.ts';

it('a full disk is a 507 that says so, whatever the platform was writing', { skip: noSmallDisk }, async t => {
  const home = join(await newFolder(t), 'disk');
  await mkdir(home);
  mountDisk(home, '4m');
  try {
    const data = await uploaded(home, csv(history({ rows: 60 })));
    const { browser } = await ownedPlatform(t, { home });
    const settings = { column: ['2'], 'type-2': 'auto' };
    const saveSettings = () => browser.submit(`/platform/data/${data}/settings`, settings);
    const train = () =>
      browser.submit('/platform/trainings', { data, column: '4', report: 'churn', seed: '5' });
    const free = fillDisk(home);
    for (const write of [saveSettings, train]) {
      const response = await write();
      const text = await response.text();
      assert.equal(response.status, 507, text);
      assert.match(text, /No room left/);
    }
    free();
    assert.equal((await saveSettings()).status, 303);
  } finally {
    unmountDisk(home);
  }
});
