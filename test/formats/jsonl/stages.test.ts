import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import { jsonl } from '../../../src/formats/jsonl/jsonl-format.ts';
import { prepare, type ScoredRun } from '../../../src/scoring/prepare.ts';
import { stages } from '../../../src/scoring/stages.ts';
import { connect } from '../../support/stub/connect.ts';

const RECORDS = [
  '{"id": 1, "text":"first"}\n',
  '{"text":"in another order, \\"quoted\\"","id":2 }\r\n',
  '\n',
  '{"id": 3, "text": \n',
  '{"id": 4}\n',
  '{"id":5,"text":"the last"}',
];

describe('JSON lines in all stages', () => {
  it('goes through all stages of scoring: each record keeps its own bytes, with its predictions added', async t => {
    const { client, stub } = await connect(t, { report: { classes: ['no', 'yes'] } });
    const scorer = httpScorer(client);
    const bytes = Buffer.from(RECORDS.join(''));
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    }
    const source = {
      name: 'in.jsonl',
      contentName: 'in.jsonl',
      isLive: false,
      chunks: chunks(),
      checkUnchanged: async () => {},
    };
    const values = { ...scoreDefaults, report: 'r', batchRows: 2, features: ['id', 'text'] };
    const run: ScoredRun = { values, formats: [jsonl] };
    const plan = await prepare(run, { source, scorer });
    const { layout, rest } = plan;
    assert.deepEqual(layout.names, ['id', 'text']);
    const output: Buffer[] = [];
    const rejects: (readonly [number, number, string])[] = [];
    for await (const part of stages(run, plan, { rest, start: layout.start })) {
      output.push(Buffer.from(part.bytes)); // its memory is reused
      rejects.push(...part.rejects.map(({ row, line, reason }) => [row, line, reason] as const));
    }

    const scored = Buffer.concat(output)
      .toString()
      .split(/(?<=\n)/);
    const wellFormed = RECORDS.filter((_, index) => index !== 3);
    assert.equal(scored.length, wellFormed.length);
    for (const [index, record] of scored.entries()) {
      const own = record.replace(/,"probability_no":[\d.]+,"probability_yes":[\d.]+(?=\})/, '');
      assert.equal(own, wellFormed[index]);
      if (own !== '\n') assert.notEqual(record, own);
    }
    assert.deepEqual(rejects, [[3, 4, 'the line is not a JSON object']]);
    const personas = stub.bodies.flatMap(body => body.personas.map(({ features }) => features));
    assert.deepEqual(personas, [
      { id: 1, text: 'first' },
      { id: 2, text: 'in another order, "quoted"' },
      { id: 4, text: null },
      { id: 5, text: 'the last' },
    ]);
  });
});
