import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LocalService } from '../../../src/models/local/local-service.ts';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';

describe('batchPersona of a local scorer', () => {
  it('gives each persona, in order, what it gets alone; an error where it has no known column', async t => {
    const home = await trainedHome();
    const scorer = await ModelScorer.open({ home });
    const service = new LocalService(home);
    t.after(async () => {
      await scorer.close();
      await service.close();
    });
    const [header = [], ...rows] = history({ rows: 300, seed: 3 });
    const personas = Array.from({ length: 5000 }, (_, index) =>
      Object.fromEntries(header.map((name, column) => [name, rows[index % rows.length]?.[column] ?? null])),
    );
    const strange = personas.toSpliced(7, 1, { unknown: '1' }).toSpliced(4999, 1, {});
    const predictions = await scorer.batchPersona('one', strange);
    assert.equal(predictions.length, 5000);
    for (const index of [0, 1, 299, 4095, 4096, 4998])
      assert.deepEqual(
        { ...predictions[index], warnings: [] },
        await service.persona('one', personas[index] ?? {}),
      );
    for (const index of [7, 4999])
      assert.deepEqual(
        Object.entries(predictions[index] ?? {}).map(([key, { code }]) => [key, code]),
        [['error', 'unknown_columns']],
      );
    assert.deepEqual(await scorer.batchPersona('one', []), []);
  });

  it('fails for a report that does not exist, and finds it later', async t => {
    const scorer = await ModelScorer.open({ home: await trainedHome() });
    t.after(() => scorer.close());
    await assert.rejects(scorer.batchPersona('three', [{}]), { code: 'no_such_report' });
    await assert.rejects(scorer.batchPersona('three', [{}]), { code: 'no_such_report' });
  });
});
