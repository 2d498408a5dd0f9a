import { loadReport } from '../../../src/models/store/report-model.ts';
import { JsonReader } from '../../../src/server/predict/json-reader.ts';
import { predictorOf } from '../../../src/server/predict/predictor.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';

/** Rows of 20 columns, twelve of them numerical, the others with four to six categories, and the predicted column. */
export function makeHistory(rows: number): string[][] {
  const random = seededRandom(20);
  const amounts = Array.from({ length: 12 }, (_, i) => `amount_${i + 1}`);
  const kinds = Array.from({ length: 8 }, (_, i) => `kind_${i + 1}`);
  const table = [[...amounts, ...kinds, 'outcome']];
  for (let row = 0; row < rows; row++) {
    const numbers = amounts.map((_, i) => random() * 10 * (i + 1));
    const categories = kinds.map((_, i) => Math.floor(random() * (4 + (i % 3))));
    const score = (numbers[0] ?? 0) - (numbers[1] ?? 0) / 4 + 3 * (categories[0] ?? 0) + 4 * (random() - 0.5);
    table.push([
      ...numbers.map(value => value.toFixed(2)),
      ...categories.map(value => `level ${value}`),
      score > 8 ? 'yes' : 'no',
    ]);
  }
  return table;
}

/** Rows per second that the engine predicts in this process, a thousand at a time, from encoded values. */
export async function predictFor(
  seconds: number,
  home: string,
  personas: readonly unknown[],
): Promise<number> {
  const { model, personas: reader } = predictorOf(await loadReport(home, 'bench'));
  const json = new JsonReader(Buffer.from(JSON.stringify(personas)), Infinity);
  json.enter();
  const { values } = reader.read(json, personas.length, Infinity);
  const begun = performance.now();
  let predicted = 0;
  while (performance.now() - begun < 1000 * seconds) {
    model.engine.predict(values, personas.length);
    predicted += personas.length;
  }
  const rate = predicted / ((performance.now() - begun) / 1000);
  model.engine.unload();
  return rate;
}

/** Those rows as the personas of a request. */
export function personasOf([header = [], ...rows]: readonly string[][]): { features: object }[] {
  return rows.map(row => ({
    features: Object.fromEntries(
      header.slice(0, -1).map((name, i) => [name, i < 12 ? Number(row[i]) : row[i]]),
    ),
  }));
}
