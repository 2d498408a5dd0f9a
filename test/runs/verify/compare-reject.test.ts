import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcomeOf } from '../../support/scoring/compared.ts';

const INPUT = 'id,note\n1,a\n\n2,"b\nb"\n3,c\n4,d\n';
const OUTPUT = 'id,note,p_no,p_yes\n1,a,0.25,0.75\n\n2,"b\nb",1,0\n3,c,0.5,0.5\n4,d,1e-7,0.9999999\n';

describe('a rejects file', () => {
  const input = INPUT.replace('3,c\n', '3,c\n"3"x\n').concat('5');
  const output = OUTPUT.replace('1,a,0.25,0.75', '1,a,,');
  const rejects = [
    'reject_row,reject_line,reject_code,reject_reason,id,note\n',
    '1,2,odd,"not, as it seems",1,a\n',
    '4,7,bad_quoting,text follows a closing quote,"3"x\n',
    '6,9,too_few_fields,"the record has 1 field, the header 2",5\n',
  ];
  const said = (...lines: (string | undefined)[]): string =>
    outcomeOf(input, output, { rejects: lines.join(''), batchRows: 1 });
  const [header, first = '', second = '', third = ''] = rejects;

  it('contains every row that was not scored, unchanged', () => {
    assert.equal(said(...rejects), 'equal');
    assert.equal(outcomeOf(INPUT, OUTPUT, { rejects: header ?? '' }), 'equal');
  });

  it('may start with the BOM of the input', () => {
    const bom = '\ufeff';
    assert.equal(outcomeOf(bom + INPUT, bom + OUTPUT, { rejects: bom + header }), 'equal');
    assert.equal(outcomeOf(bom + INPUT, bom + OUTPUT, { rejects: header ?? '' }), 'equal');
  });

  const cases: [lines: (string | undefined)[], difference: string][] = [
    [
      [header?.replace('note', 'notes'), first, second, third],
      '1: the header is not reject_row,reject_line,reject_code,reject_reason, followed by that of in.csv',
    ],
    [[header, first, third], '3: row 4, at in.csv:7, should be the next reject, but row 6 is'],
    [[header, first, second], '4: row 6, at in.csv:9, was not scored, but is not in the rejects file'],
    [[header, first, first, second, third], '3: row 4, at in.csv:7, should be the next reject, but row 1 is'],
    [[header, first, second, third, third], '5: row 6 is repeated or out of order in the rejects file'],
    [
      [header, first, '2,4,odd,,2,"b\nb"\n', second, third],
      '3: row 2, at in.csv:4, is in the rejects file, but it was scored',
    ],
    [
      [header, first.replace('1,2,', '1,3,'), second, third],
      '2: reject_line is 3, but the row starts at in.csv:2',
    ],
    [[header, first, second.replace('"3"x', '"3"y'), third], '3: the record differs from that at in.csv:7'],
    [
      [header, first.replace('1,2,', '01,2,'), second, third],
      '2: reject_row, reject_line or reject_code is missing or invalid',
    ],
    [
      [header, first.replace('odd', 'how odd'), second, third],
      '2: reject_row, reject_line or reject_code is missing or invalid',
    ],
    [
      [header, first, second.replace('bad_quoting', 'not_utf8'), third],
      '3: reject_code is not_utf8, but should be bad_quoting for the record at in.csv:7',
    ],
    [
      [header, first, second.replace('bad_quoting', 'odd'), third],
      '3: reject_code is odd, but should be bad_quoting for the record at in.csv:7',
    ],
    [
      [header, first.replace('odd', 'bad_quoting'), second, third],
      '2: reject_code is bad_quoting, but the record at in.csv:2 is not malformed',
    ],
    [
      [header, first, second, third.replace('has 1 field', 'has 3 fields')],
      '4: reject_reason should be "the record has 1 field, the header 2" for the record at in.csv:9',
    ],
    [
      [header, first.replace('seems', 'seems '), second, third],
      '2: reject_reason is not written as rowcast writes it, for the record at in.csv:2',
    ],
    [
      [
        header,
        first,
        second.replace('text follows a closing quote', '"text follows a closing quote"'),
        third,
      ],
      '3: reject_reason should be "text follows a closing quote" for the record at in.csv:7',
    ],
    [[header, first, second.replace('\n', '\r\n'), third], '3: the record differs from that at in.csv:7'],
    [[header, 'odd\n', first, second, third], '2: not a record of a rejects file'],
  ];
  for (const [lines, difference] of cases)
    it(`that differs is reported: ${difference}`, () => {
      assert.equal(said(...lines), `rejects.csv:${difference}`);
    });

  it('ends its records like the header of the input, even if the input has mixed line endings', () => {
    const mixed = input.replace('"3"x\n', '"3"x\r\n');
    assert.equal(outcomeOf(mixed, output, { rejects: rejects.join('') }), 'equal');
    const crlf = (text: string): string => text.replace('\n', '\r\n');
    const ended = [header ?? '', first, second, third].map(crlf).join('');
    assert.equal(outcomeOf(crlf(input), crlf(output), { rejects: ended }), 'equal');
  });

  it('with a row after the last one is reported', () => {
    const more = `${header}9,12,odd,,9,9\n`;
    assert.equal(
      outcomeOf(INPUT, OUTPUT, { rejects: more }),
      'rejects.csv:2: row 9 is repeated or out of order in the rejects file',
    );
  });
});
