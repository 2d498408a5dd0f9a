import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { importModel, score, verify } from '../../src/index.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { importedHome, importedPersona, importedRows } from '../support/service/imported-home.ts';
import { slow } from '../support/slow.ts';
import { clientAndLocal } from './bench.ts';

const both = async (t: TestContext) => clientAndLocal(t, await importedHome(t));

const personas = [importedPersona.features, { age: 20 }, { other: 1 }, { monthly_charges: 99, balance: '7' }];

describe('imported reports, for a program', () => {
  it('predict the same objects by a Client and by a LocalScorer', async t => {
    const { client, local } = await both(t);
    for (const id of ['number', 'numbers', 'classes']) {
      const predictions = await client.batchPersona(id, personas);
      assert.deepEqual(predictions, await local.batchPersona(id, personas), id);
      assert.ok(predictions[2] !== undefined && 'error' in predictions[2]);
      assert.deepEqual(await client.persona(id, importedPersona.features), predictions[0]);
    }
    const [number] = await local.batchPersona('number', personas);
    assert.ok(number !== undefined && 'value' in number && number.value > 1);
  });

  it('have an error for a persona whose number is not finite', async t => {
    const { client, local } = await both(t);
    const strange = [{ x: 1 }, { x: 9 }];
    const predictions = await client.batchPersona('unbounded', strange);
    assert.deepEqual(predictions, await local.batchPersona('unbounded', strange));
    const wrong = { code: 'wrong_prediction', message: 'the number is Infinity' };
    assert.deepEqual(predictions, [{ value: Math.E }, { error: wrong }]);
    await assert.rejects(client.persona('unbounded', { x: 9 }), { code: 'wrong_prediction' });
  });

  it('are described alike, and have no testing results', async t => {
    const { client, local } = await both(t);
    for (const id of ['number', 'numbers', 'classes'])
      assert.deepEqual(await client.report(id), await local.report(id));
    await assert.rejects(
      client.testingResults('number').then(csv => csv.toArray()),
      { code: 'no_testing_results' },
    );
  });

  it('are made by importModel with the options of the command', async t => {
    const home = await newFolder(t);
    const model = pathToFileURL(join(root, 'fixtures/models/telecom-lightgbm.txt'));
    const given = { model, report: 'r', home, classes: ['no', 'yes'], predict: 'churned' };
    const test = join(root, 'fixtures/telecom-history.csv');
    const { classes, imported_from: from, quality } = await importModel({ ...given, iterations: 3, test });
    assert.deepEqual([classes, from.trees, quality?.testing_rows], [['no', 'yes'], 3, 5000]);
    await assert.rejects(importModel(given), { code: 'report_exists' });
    const kept = await importModel({ ...given, iterations: 'all', ifExists: 'skip' });
    assert.equal(kept.imported_from.trees, 3);
    await assert.rejects(importModel({ ...given, ifExists: 'replace', categories: { plan: ['a'] } }), {
      code: 'bad_option',
      message: '--categories: the model has no column "plan"',
    });
    for (const wrong of [{ iterations: 0 }, { categories: ['a=b'] }, { report: undefined }, { classes: 3 }])
      await assert.rejects(Reflect.apply(importModel, undefined, [{ ...given, ...wrong }]), {
        code: 'bad_option',
        message: new RegExp(`^${Object.keys(wrong)[0]}: expected `),
      });
  });

  slow('score a file to the same bytes, which a sample agrees with', async t => {
    const folder = await newFolder(t);
    const at = (name: string): string => join(folder, name);
    await writeFile(at('in.csv'), importedRows(300));
    const { client, local } = await both(t);
    for (const report of ['number', 'numbers', 'classes']) {
      const texts: string[] = [];
      for (const [name, scorer] of Object.entries({ client, local })) {
        const files = { input: at('in.csv'), output: at(`${report}.${name}.csv`) };
        const { prediction } = await score({ ...files, report, scorer });
        assert.equal(prediction?.kind, report === 'classes' ? 'distribution' : 'numbers');
        const again = { ...files, report, scorer, sample: 20 };
        const verified = await verify({ ...again, ...(report === 'numbers' && { kind: 'numbers' }) });
        assert.deepEqual([verified.agrees, verified.sampled], [true, 20], verified.difference?.message);
        texts.push(await readFile(files.output, 'utf8'));
      }
      assert.equal(texts[0], texts[1]);
    }
  });
});
