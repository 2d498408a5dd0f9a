import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelKind } from '../../../src/models/imported/model-kind.ts';

const kindOf = (latin1: string): unknown => modelKind(Buffer.from(latin1, 'latin1'));
const zipOf = (...names: string[]): string =>
  names
    .map(name => `PK\x03\x04${'\0'.repeat(22)}${String.fromCharCode(name.length)}\0\0\0${name}content`)
    .join('');

describe('the kind of a model', () => {
  it('is that of the library whose files begin in this way', () => {
    assert.deepEqual(kindOf('tree\nversion=v4\n'), { library: 'LightGBM', format: 'text' });
    assert.deepEqual(kindOf('{"learner":{"attributes":{}}'), { library: 'XGBoost', format: 'json' });
    assert.deepEqual(kindOf(' { "version": [1, 7, 6], "learner"'), { library: 'XGBoost', format: 'json' });
    assert.deepEqual(kindOf('{L\0\0\0\0\0\0\0\x07learner{L'), { library: 'XGBoost', format: 'ubj' });
    assert.deepEqual(kindOf('{\n"features_info":{'), { library: 'CatBoost', format: 'json' });
    assert.deepEqual(kindOf('{"ctr_data":{"'), { library: 'CatBoost', format: 'json' });
  });

  // Beginnings of files that joblib 1.3, LightGBM 3.3, XGBoost 1.7, CatBoost 1.2 and skl2onnx 1.20 wrote.
  const refused: [string, string, RegExp, RegExp][] = [
    ['a pickle', '\x80\x04\x95\xf1', /pickle of Python/, /never opened.*save_model\("model\.txt"\).*format="json"/],
    ['a pickle of protocol 0', 'ccopy_reg\n_reconstructor\n', /pickle of Python/, /never opened/],
    ['a compressed file of joblib', 'x\x9c\xed}', /joblib/, /never opened/],
    ['a binary model of CatBoost', 'CBM1\x10', /CatBoost.*\.cbm/, /format="json"/],
    ['an old model of XGBoost', 'binf\0\0\0?', /XGBoost in its old binary format/, /before 3\.1/],
    ['an old model of XGBoost without a mark', `\0\0\0?\x03${'\0'.repeat(130)}\x10\0\0\0\0\0\0\0reg:squarederror\x06\0\0\0\0\0\0\0gbtree`, /old binary/, /before 3\.1/],
    ['an archive of MLflow', zipOf('model/conda.yaml', 'model/MLmodel'), /archive of MLflow/, /Unpack it/],
    ['a MOJO', zipOf('model.ini', 'domains/d000.txt'), /MOJO of H2O/, /not read/],
    ['PMML', '<?xml version="1.0"?>\n<PMML version="4.4">', /PMML/, /round in another way/],
    ['ONNX', '\x08\x0a\x12\x08skl2onnx', /ONNX/, /round in another way/],
    ['a dump of XGBoost', 'booster[0]:\n0:[f0<0.5]', /dump of a model of XGBoost/, /model\.json/],
    ['a dump of LightGBM', '{"name": "tree", "version": "v4"', /dump of a model of LightGBM/, /model\.txt/],
    ['gzip', '\x1f\x8b\x08\0', /compressed with gzip/, /Decompress/],
    ['another zip', zipOf('content.json'), /zip archive/, /save_model/],
    ['other JSON', '{"weights": []', /JSON with "weights" first/, /save_model/],
    ['a CSV', 'a,b\n1,2\n', /of an unknown kind/, /save_model/],
  ]; // biome-ignore format: a table

  for (const [what, first, message, hint] of refused)
    it(`is refused with what it looks like: ${what}`, () => {
      assert.throws(
        () => kindOf(first),
        (error: { code: string; message: string; hint: string }) => {
          assert.equal(error.code, 'unsupported_model');
          assert.match(error.message, message);
          assert.match(error.hint, hint);
          return true;
        },
      );
    });

  it('is none of an empty file', () => {
    assert.throws(() => kindOf(''), { code: 'bad_model', message: /empty/ });
  });
});
