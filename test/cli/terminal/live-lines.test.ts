import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layOutLines, type ProgressLine } from '../../../src/cli/terminal/live-lines.ts';

const wide = { columns: 120, rows: 24 };
const files: readonly ProgressLine[] = [
  { name: 'in/2026-01-01.csv', cells: ['31%', '1,250,000 rows', '212,000 rows/s', 'about 12 s left'] },
  { name: 'in/2026-01-02.csv.gz', cells: ['', '20,000 rows', '112,000 rows/s', ''] },
  { name: 'in/2026-01-03.csv', cells: ['', 'starting'] },
  { name: '3/200 files', cells: ['2%', '12,000,000 rows', '324,000 rows/s', 'about 9 min left', '1 reject'] },
];

describe('lines of progress', () => {
  it('are aligned, with the totals last', () => {
    assert.deepEqual(layOutLines(files, wide), [
      'in/2026-01-01.csv     31%   1,250,000 rows  212,000 rows/s   about 12 s left',
      'in/2026-01-02.csv.gz           20,000 rows  112,000 rows/s',
      'in/2026-01-03.csv                 starting',
      '3/200 files            2%  12,000,000 rows  324,000 rows/s  about 9 min left  1 reject',
    ]);
  });

  it('have no gaps for what is not known, if there is only one', () => {
    const cells = ['', '20,000 rows', '100 rows/s', '', '1 reject', '', '16 in flight'];
    assert.deepEqual(layOutLines([{ cells }], wide), ['20,000 rows  100 rows/s  1 reject  16 in flight']);
  });

  it('leave out what does not fit, and the beginning of long names', () => {
    assert.equal(
      layOutLines(files, { columns: 80, rows: 24 })[3],
      '3/200 files            2%  12,000,000 rows  324,000 rows/s  about 9 min left',
    );
    assert.deepEqual(layOutLines(files, { columns: 40, rows: 24 }), [
      '…26-01-01.csv  31%   1,250,000 rows',
      '…01-02.csv.gz           20,000 rows',
      '…26-01-03.csv              starting',
      '3/200 files     2%  12,000,000 rows',
    ]);
  });

  it('are never longer than the terminal, whatever its size, nor more than it has rows', () => {
    const names = [
      '顧客データ/二〇二六年一月一日.csv',
      'é'.repeat(300),
      '👩‍👩‍👧‍👦.csv',
      '\u001b[2J.csv',
      'a\nb',
    ];
    const lines = names.map((name, index) => ({
      ...files[index % files.length],
      name,
      cells: files[0]?.cells ?? [],
    }));
    for (const columns of [1, 2, 5, 10, 20, 40, 80, 200])
      for (const rows of [1, 2, 3, 4, 5, 24]) {
        const shown = layOutLines(lines, { columns, rows });
        assert.ok(shown.length <= Math.max(1, rows - 1), `${columns}×${rows}`);
        for (const line of shown) {
          assert.ok(line.length <= Math.max(1, columns - 1), `${columns}×${rows}: ${line}`);
          assert.doesNotMatch(line, /\p{Cc}/u);
        }
      }
  });

  it('that a low terminal has no room for are counted; the totals stay', () => {
    const many = [
      ...Array.from({ length: 9 }, (_, index) => ({ name: `${index}.csv`, cells: ['1%'] })),
      { name: 'total', cells: ['1%'] },
    ];
    assert.deepEqual(
      layOutLines(many, { columns: 80, rows: 6 }).map(line => line.split(' ')[0]),
      ['0.csv', '1.csv', '2.csv', 'and', 'total'],
    );
    assert.match(layOutLines(many, { columns: 80, rows: 6 })[3] ?? '', /^and 6 more/);
    assert.deepEqual(layOutLines(many, { columns: 80, rows: 2 }), ['total  1%']);
  });
});
