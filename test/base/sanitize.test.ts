import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sanitizeCells } from '../../src/base/sanitize.ts';

it('a terminal gets the rows of a file, but none of the commands that they contain', () => {
  const rows = 'id,name\r\n1,Zoë\t€\r\n';
  assert.equal(sanitizeCells(rows), rows);
  assert.equal(
    sanitizeCells('1,\u001b]0;title\u0007\u001b[2J\n2,a\rb\u202ec\n'),
    '1, ]0;title  [2J\n2,a b c\n',
  );
});
