import type { ColumnProfile, ScoreProfile, TrainingProfile } from '../../base/contract/profile.ts';
import { columnEncoderOf, type LearnedColumn, unrecognizedOf } from '../../formats/columns/column-encoder.ts';
import { countTexts } from '../../formats/values/column-type.ts';
import { quantile, toSixDecimals } from '../learn/evaluation.ts';

/** Categories of a column in a profile: of more, no one needs a list. */
const MAX_LEVELS = 1000;
/** Characters of all categories together: a report is sent with every run. */
const MAX_LEVEL_CHARACTERS = 1 << 18;

interface ProfiledRows {
  /** The columns of the served model, and the index of each in a row. */
  columns: readonly LearnedColumn[];
  indexes: readonly number[];
  rows: readonly (readonly string[])[];
}

/** What a model was trained on, for comparison with what it scores. */
export function profileOf(training: ProfiledRows): Pick<TrainingProfile, 'rows' | 'columns'> {
  const { rows, indexes } = training;
  let characters = MAX_LEVEL_CHARACTERS;
  const columns: ColumnProfile[] = [];
  const names = new Set<string>();
  for (const [i, column] of training.columns.entries()) {
    // A date may be several features; the first is the day.
    if (names.has(column.name)) continue;
    names.add(column.name);
    const texts = countTexts(rows.map(row => row[indexes[i] ?? 0] ?? ''));
    const own = profileColumn(column, texts);
    if (own.levels !== undefined) {
      characters -= own.levels.reduce((sum, level) => sum + level.length + 8, 0);
      if (own.levels.length > MAX_LEVELS || characters < 0) delete own.levels;
    }
    columns.push(own);
  }
  return { rows: rows.length, columns };
}

function profileColumn(column: LearnedColumn, texts: ReadonlyMap<string, number>): ColumnProfile {
  const encode = columnEncoderOf(column);
  const counts = { missing: 0, mismatched: 0, unseen: 0 };
  const numbers: { value: number; rows: number }[] = [];
  for (const [text, rows] of texts) {
    const value = encode(text);
    const unrecognized = unrecognizedOf(column, text, value);
    if (unrecognized !== undefined && unrecognized !== 'trimmed') counts[unrecognized] += rows;
    else if (value !== null) numbers.push({ value, rows });
  }
  const own = { name: column.name, ...counts };
  switch (column.type) {
    case 'categorical':
      return { ...own, levels: [...column.levels] };
    case 'date':
      return { ...own, date_order: column.order };
    case 'numerical': {
      const total = numbers.reduce((sum, { rows }) => sum + rows, 0);
      if (total === 0) return own;
      const mean = numbers.reduce((sum, { value, rows }) => sum + value * rows, 0) / total;
      return { ...own, mean: Number(mean.toPrecision(6)), edges: edgesOf(numbers, total) };
    }
  }
}

/** The different deciles of weighted values. */
function edgesOf(numbers: { value: number; rows: number }[], total: number): number[] {
  numbers.sort((a, b) => a.value - b.value);
  const edges: number[] = [];
  let below = 0;
  let decile = 1;
  for (const { value, rows } of numbers) {
    below += rows;
    if (decile < 10 && below > (decile * total) / 10) edges.push(value);
    while (decile < 10 && below > (decile * total) / 10) decile++;
  }
  return edges;
}

/** @param probabilities of the testing rows, `classes` per row */
export function scoresOf(classes: readonly string[], probabilities: Float64Array): ScoreProfile[] {
  const rows = probabilities.length / classes.length;
  return classes.map((name, index) => {
    const own = Float64Array.from(
      { length: rows },
      (_, row) => probabilities[row * classes.length + index] ?? 0,
    );
    const mean = own.reduce((sum, score) => sum + score, 0) / rows;
    own.sort();
    const deciles = Array.from({ length: 9 }, (_, i) => toSixDecimals(quantile(own, (i + 1) / 10)));
    return { class: name, mean: toSixDecimals(mean), deciles };
  });
}
