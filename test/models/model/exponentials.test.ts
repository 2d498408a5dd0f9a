import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fastExp } from '../../../src/models/model/exponentials.ts';

it('an exponential of CatBoost is the same, bit for bit', () => {
  // As `predict(prediction_type="Exponent")` gave them; many are up to 2 units in the last place from the nearest double.
  const pairs = [
    [-0.6291790546912521, 0.5330292092669751],
    [-0.6146428428975755, 0.5408340235314426],
    [0.6154673099535533, 1.850521164492122],
    [0.6156494648897639, 1.8508582767591961],
    [2.5065900770929272, 12.263042654626974],
    [2.632887464680217, 13.913887814357642],
    [2.8060345187768894, 16.54418232334385],
    [-740, 0],
    [-700.5, 5.980196118639923e-305],
    [-708.2, 2.707995361514126e-308],
    [-30.25, 7.287724095819698e-14],
    [-1e-9, 0.999999999],
    [0, 1],
    [1e-300, 1],
    [0.7, 2.013752707470476],
    [12.3, 219695.98867213787],
    [88.9, 4.0623696712829004e38],
    [700.1, 1.1208997710732703e304],
    [709.7, 1.6549840276803082e308],
    [710, Number.POSITIVE_INFINITY],
  ] as const;
  assert.deepEqual(
    pairs.map(([score]) => fastExp(score)),
    pairs.map(([, exponential]) => exponential),
  );
});
