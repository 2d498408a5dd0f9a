import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readMlflow } from '../../../src/models/imported/mlflow.ts';
import { newFolder } from '../../support/folder.ts';

/** As MLflow 2.14 writes it, with what is not read. */
const descriptionOf = (flavor: string, data: string): string => `artifact_path: model
flavors:
  ${flavor}:
    code: null
    data: ${data}
    lgb_version: 4.5.0
    model_class: lightgbm.basic.Booster
  python_function:
    data: ${data}
    env:
      conda: conda.yaml
      virtualenv: python_env.yaml
    loader_module: mlflow.${flavor}
    python_version: 3.11.7
mlflow_version: 2.14.1
model_uuid: 9f0ed2a1ab1f4a1a8d2a1a3a2f9c2f0e
signature:
  inputs: '[{"type": "double", "name": "monthly charges", "required": true}, {"type":
    "string", "name": "plan", "required": true}]'
  outputs: '[{"type": "tensor", "tensor-spec": {"dtype": "float64", "shape": [-1]}}]'
  params: null
utc_time_created: '2026-11-28 10:00:00.000000'
`;

async function folderOf(t: TestContext, description: string, files: readonly string[] = []): Promise<string> {
  const folder = join(await newFolder(t), 'model');
  await mkdir(folder);
  await writeFile(join(folder, 'MLmodel'), description);
  for (const file of files) await writeFile(join(folder, file), '');
  return folder;
}

describe('a folder of MLflow', () => {
  it('has the file of its model, and the names and types of its columns', async t => {
    const folder = await folderOf(t, descriptionOf('lightgbm', 'model.lgb'), ['model.lgb']);
    assert.deepEqual(await readMlflow(folder), {
      library: 'LightGBM',
      file: join(folder, 'model.lgb'),
      inputs: [
        { name: 'monthly charges', type: 'double' },
        { name: 'plan', type: 'string' },
      ],
    });
  });

  it('may be of XGBoost or CatBoost, and without a signature', async t => {
    const without = (text: string): string => text.replace(/^signature:[\s\S]*(?=^utc)/m, '');
    for (const [flavor, library] of [
      ['xgboost', 'XGBoost'],
      ['catboost', 'CatBoost'],
    ] as const) {
      const found = await readMlflow(
        await folderOf(t, without(descriptionOf(flavor, 'model.x')), ['model.x']),
      );
      assert.deepEqual([found.library, found.inputs], [library, undefined]);
    }
  });

  it('has no names if its signature is of tensors', async t => {
    const text = descriptionOf('lightgbm', 'model.lgb').replace(
      /'\[\{"type": "double"[\s\S]*?\]'/,
      `'[{"type": "tensor", "tensor-spec": {"dtype": "float64", "shape": [-1, 4]}}]'`,
    );
    assert.equal((await readMlflow(await folderOf(t, text, ['model.lgb']))).inputs, undefined);
  });

  it('is refused for a flavor that is not read', async t => {
    await assert.rejects(readMlflow(await folderOf(t, descriptionOf('sklearn', 'model.pkl'))), {
      code: 'unsupported_model',
      message: /the model is of sklearn, python_function/,
    });
  });

  it('is refused if its file is outside, also by a link, or not there', async t => {
    const outside = await folderOf(t, '');
    for (const data of [
      '../model/MLmodel/..',
      '..',
      '/etc/passwd',
      'model.lgb',
      'link/MLmodel',
      '.',
      '../../x',
    ]) {
      const folder = await folderOf(t, descriptionOf('lightgbm', data));
      await symlink(outside, join(folder, 'link'));
      await assert.rejects(readMlflow(folder), { code: 'bad_model' }, data);
    }
  });

  it('is refused if its description is damaged', async t => {
    const bombs = `a: &a [x, x]\nb: &b [*a, *a]\nflavors: *b\n`;
    for (const text of [
      '',
      '- 1',
      'flavors: [',
      'flavors: 1',
      bombs,
      `flavors: {lightgbm: {data: 3}}`,
      'flavors: {lightgbm: {}}',
    ])
      await assert.rejects(readMlflow(await folderOf(t, text)), { code: 'bad_model' }, text);
    await assert.rejects(readMlflow(await newFolder(t)), { code: 'bad_model', message: /has no such file/ });
  });
});
