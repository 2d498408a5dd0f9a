import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { edgeCases } from '../../../fixtures/edge-cases.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { expectedOf } from '../../golden/golden.ts';
import { newFolder } from '../../support/folder.ts';
import { compareTexts, outcomeOf } from '../../support/scoring/compared.ts';

const INPUT = 'id,note\n1,a\n\n2,"b\nb"\n3,c\n4,d\n';
const OUTPUT = 'id,note,p_no,p_yes\n1,a,0.25,0.75\n\n2,"b\nb",1,0\n3,c,0.5,0.5\n4,d,1e-7,0.9999999\n';

/** OUTPUT with one change. */
const changed = (from: string, to: string): string => {
  assert.ok(OUTPUT.includes(from));
  return OUTPUT.replace(from, to);
};

describe('a pair', () => {
  it('that matches gives the row counts', () => {
    assert.deepEqual(compareTexts(INPUT, OUTPUT), {
      rows: 4,
      scored: 4,
      repaired: 0,
      unscored: 0,
      malformed: 0,
      blank: 1,
    });
  });

  it('may have the most likely class, the first one of a tie', () => {
    const predicted = 'id,p_no,p_yes,predicted_x\n1,0.5,0.5,no\n2,0.25,0.75,yes\n3,,,\n';
    assert.equal(outcomeOf('id\n1\n2\n3\n', predicted), 'equal');
    assert.equal(
      outcomeOf('id\n1\n2\n3\n', predicted.replace('0.5,no', '0.5,yes')),
      'out.csv:2: predicted_x is not the most likely class, in row 1, at in.csv:2',
    );
  });

  it('may have names that are ambiguous between prefix and class', () => {
    for (const [names, fields] of [
      ['p_a_no,p_a_yes,predicted_x', '0,1,a_yes'],
      ['p_a_no,p_a_yes,predicted_x', '0,1,yes'],
      ['predicted_no,predicted_yes', '0,1'],
      ['predicted_no,predicted_yes,predicted_x', '0,1,yes'],
      ['predicted_no,predicted_yes,predicted_x', '0,0.5,0.5'],
      ['p_1,predicted_x', '1,1'],
      ['_no,_yes', '0,1'],
      ['p_"a,b","p_é",predicted_x', '1,0,"a,b"'],
    ] as const) {
      const quoted = names.replace('p_"a,b","p_é"', '"p_a,b",p_é');
      assert.equal(outcomeOf('id\n1\n', `id,${quoted}\n1,${fields}\n`), 'equal', names);
    }
  });

  it('must have the same interpretation of the names in all rows', () => {
    const output = 'id,p_a_no,p_a_yes,predicted_x\n1,0,1,a_yes\n2,0,1,yes\n';
    assert.match(outcomeOf('id\n1\n2\n', output), /^out\.csv:3: predicted_x is not the most likely class/);
  });
});

it('the golden output of each edge case of CSV matches its input', async () => {
  const delimiters: Readonly<Record<string, string>> = { semicolon: ';', tab: '\t' };
  for (const [file, input] of edgeCases()) {
    const name = file.replace(/\.[ct]sv$/, '');
    const { csv: output, text } = await expectedOf(`csv-${name}`);
    if (!/^exit [01]\n/.test(text)) continue;
    assert.equal(outcomeOf(input, output, { delimiter: delimiters[name] ?? ',' }), 'equal', name);
  }
});

describe('a difference', () => {
  const cases: [output: string, said: string][] = [
    [changed('id,note', 'id,notes'), '1: the header does not start with that of in.csv'],
    [OUTPUT.replace('p_yes', 'p_no'), '1: there are two appended columns "p_no"'],
    [INPUT, '1: the header has no columns besides those of in.csv'],
    [changed('p_yes\n', 'p_yes\r\n'), "1: the header's line ending differs from that of in.csv"],
    [
      changed('p_no,p_yes', 'p_no,q_yes'),
      '1: the appended columns are not named <prefix>_<class>, optionally followed by predicted_<column>',
    ],
    [changed('3,c,', '3,x,'), '6: the column "note" differs from row 3, at in.csv:6'],
    [changed('3,c,', '3,cc,'), '6: the column "note" differs from row 3, at in.csv:6'],
    [changed('1,a,', '1,"a",'), '2: the column "note" differs from row 1, at in.csv:2'],
    [
      changed('2,"b\nb",1,0\n', ''),
      '4: row 2, at in.csv:4, should be here, but row 3 is: rows are missing or out of order',
    ],
    [
      changed('1,a,0.25,0.75\n\n2,"b\nb",1,0\n3,c,0.5,0.5\n', ''),
      '2: row 1, at in.csv:2, should be here, but row 4 is: rows are missing or out of order',
    ],
    [changed('4,d,1e-7,0.9999999\n', ''), '7: the output ends before row 4, at in.csv:7'],
    [changed('3,c,0.5,0.5\n', '3,c,0.5,0.5\n3,c,0.5,0.5\n'), '7: row 3, before in.csv:7, is repeated here'],
    [`${OUTPUT}4,d,1e-7,0.9999999\n`, '8: row 4, before in.csv:8, is repeated here'],
    [`${OUTPUT}5,e,0,1\n`, '8: unexpected record: in.csv ends before line 8'],
    [changed('\n\n', '\n'), '3: the blank line at in.csv:3 is missing'],
    [`${OUTPUT}\n`, '8: unexpected blank line: there is none at in.csv:8'],
    [changed('3,c,0.5,0.5', ''), '6: unexpected blank line: there is none at in.csv:6'],
    [changed('\n\n', '\n\r\n'), '3: the blank line does not end like the one at in.csv:3'],
    [changed('0.5\n', '0.5\r\n'), '6: the line ending differs from that of row 3, at in.csv:6'],
    [OUTPUT.slice(0, -1), '7: the line ending differs from that of row 4, at in.csv:7'],
    [changed('3,c,0.5,0.5', '3,c'), '6: no fields are appended to row 3, at in.csv:6'],
    [changed('0.5,0.5', '0.5'), '6: p_yes is missing, in row 3, at in.csv:6'],
    [changed('0.5,0.5', '0.5,0.5,0'), '6: the row has more fields than the header, in row 3, at in.csv:6'],
    [
      changed('0.5,0.5', '0.5,'),
      '6: p_yes is empty, but other appended fields are not, in row 3, at in.csv:6',
    ],
    [changed('1,0\n', '1.5,0\n'), '4: p_no is "1.5", not a number in 0..1, in row 2, at in.csv:4'],
    [changed('1,0\n', '1,-0\n'), '4: p_yes is written as "-0", not as 0, in row 2, at in.csv:4'],
    [changed('1,0\n', '1,NaN\n'), '4: p_yes is "NaN", not a number in 0..1, in row 2, at in.csv:4'],
    [
      changed('0.25', '0.250'),
      '2: p_no is written as "0.250", not as 0.25 without --decimals 3, in row 1, at in.csv:2',
    ],
    [changed('0.5,0.5', '0.5,0.25'), '6: the probabilities sum to 0.75, not to 1, in row 3, at in.csv:6'],
  ];
  for (const [output, said] of cases)
    it(`is found wherever batches end: ${said}`, () => {
      for (const batchRows of [1, 2, 3, 100])
        assert.equal(outcomeOf(INPUT, output, { batchRows }), `out.csv:${said}`);
    });

  it('is a malformed record in the output', () => {
    const malformed = INPUT.replace('3,c\n', '3,c\n3\n');
    const output = changed('3,c,0.5,0.5\n', '3,c,0.5,0.5\n3,0.5,0.5\n');
    assert.equal(
      outcomeOf(malformed, output),
      'out.csv:7: row 4, before in.csv:8, is malformed and should not be in the output',
    );
  });

  it('is a sum of probabilities outside the rounding tolerance', () => {
    const withSum = (field: string): string => outcomeOf('id\n1\n', `id,p_a,p_b\n1,0.5,${field}\n`);
    assert.equal(withSum('0.51'), 'equal');
    assert.equal(withSum('0.49'), 'equal');
    assert.match(withSum('0.511'), /sum to 1\.01/);
  });
});

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
    return verifyOutput({ input, output, repaired, maxRecordBytes: 1000 });
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
