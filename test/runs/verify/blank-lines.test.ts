import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { verify } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';

it('blank lines next to a row that was malformed and repaired may be on its other side, but all must be there', async t => {
  const folder = await newFolder(t);
  const [input, output, repaired] = ['in.csv', 'out.csv', 'out.csv.repaired'].map(name => join(folder, name));
  assert.ok(input !== undefined && output !== undefined && repaired !== undefined);
  await writeFile(input, 'id,v\n\n1,a\n\n2\n\n3,b\n');
  const reason = '"the record has 1 field, the header 2"';
  const columns = 'reject_row,reject_line,reject_code,reject_reason,id,v';
  await writeFile(repaired, `${columns}\n2,5,too_few_fields,${reason},2\n`);
  const [first, second, third] = ['1,a,0.5,0.5\n', '2,c,0.5,0.5\n', '3,b,1,0\n'];
  const verifying = async (records: string) => {
    await writeFile(output, `id,v,p_n,p_y\n${records}`);
    return verify({ input, output, repaired, maxRecordBytes: 1000 });
  };
  for (const records of [
    `\n${first}\n${second}\n${third}`,
    `\n${first}\n\n${second}${third}`,
    `\n${first}${second}\n\n${third}`,
  ])
    assert.equal((await verifying(records)).blank, 3);
  for (const records of [
    `\n${first}\n${second}${third}`,
    `\n${first}\n${second}\n\n${third}`,
    `${first}\n\n${second}\n${third}`,
  ])
    await assert.rejects(verifying(records), { code: 'difference', message: /blank line/ });
});
