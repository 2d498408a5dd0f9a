import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refuseRowAsHeader } from '../../src/formats/refuse-row-as-header.ts';

const refuse = (line: string, known: string[] = []) =>
  refuseRowAsHeader({ names: line.split(','), file: 'in.csv', hint: 'Use --names.' }, known);

describe('a header that is probably a row', () => {
  it('is one whose names all look like values', () => {
    for (const line of [
      ...'6,148,72,35,0,33.6,0.627,50,1 5 -1.5e3,+2,.5 2024-01-15,7'.split(' '),
      '01/15/2024 03:00,1.50 €,58%',
      ...'12:30,3,,NA,true $5,−3 1,2 2020,2019,2018 1,1,1'.split(' '),
    ])
      assert.throws(() => refuse(line), { code: 'bad_header', hint: 'Use --names.' }, line);
  });

  it('is named in the message, shortened', () => {
    assert.throws(() => refuse('6,148,,35,0,33.6'), {
      message:
        'every name in the header looks like a value (6, 148, "", 35, …), so the first line is probably a row',
      location: { file: 'in.csv', line: 1 },
    });
  });

  it('is none if any name is a text, however many values there are', () => {
    for (const line of [
      '6,148,Berlin',
      'customer,2019,2021',
      'x1,2',
      'q1 2024,5',
      'true,false',
      '',
      ',',
      '-',
    ])
      assert.doesNotThrow(() => refuse(line), line);
  });

  it('is none if the names count, such as positions and years', () => {
    for (const line of ['0,1,2,3', '1,2,3', '2019,2020,2021', '2000,2005,2010'])
      assert.doesNotThrow(() => refuse(line), line);
  });

  it('is none if a report or a user knows one of the names', () => {
    assert.doesNotThrow(() => refuse('2019,2024', ['x', '2024']));
    assert.throws(() => refuse('2019,2024', ['x']));
  });
});
