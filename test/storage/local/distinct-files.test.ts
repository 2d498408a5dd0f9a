import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkApart } from '../../../src/storage/local/distinct-files.ts';
import { newFolder } from '../../support/folder.ts';

it('files that are the same are refused with what to change, which is not an option if one of them is stderr', async t => {
  const at = join(await newFolder(t), 'log.txt');
  await writeFile(at, '');
  const output = { what: 'the output (stdout)', option: '-o', at };
  await assert.rejects(checkApart([], [output, { what: 'stderr', option: '', at }]), {
    code: 'same_output',
    message: 'stderr and the output (stdout) are the same file',
    hint: 'Messages would be among the rows: give -o another path, or send messages elsewhere, such as 2> messages.txt.',
  });
  await assert.rejects(checkApart([], [output, { what: 'the summary', option: '--summary', at }]), {
    code: 'same_output',
    hint: 'Give --summary another path.',
  });
});
