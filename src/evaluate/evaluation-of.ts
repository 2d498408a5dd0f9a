import type { Evaluation, EvaluationFacts, EvaluationFigures } from './evaluation.ts';
import { classesFigures, figuresByClass } from './statistics/class-figures.ts';
import { ClassTally, OF_CLASS, OTHERS, UNLABELLED } from './statistics/class-tally.ts';
import { totalOf } from './statistics/curve.ts';
import { decilesOf, isFairPart } from './statistics/deciles.ts';
import { difference, rounded, shareOf } from './statistics/estimates.ts';
import { numberDeciles, numberFigures } from './statistics/number-figures.ts';
import { type NumberTally, WITH, WITHOUT } from './statistics/number-tally.ts';
import type { SegmentTallies } from './statistics/segment-tallies.ts';

type Tally = ClassTally | NumberTally;

/** Whether predictions came true, from the counts of their rows. */
export function evaluationOf(
  tally: Tally,
  { earlier, ...facts }: EvaluationFacts,
  segments: readonly SegmentTallies[] = [],
): Evaluation {
  const coverage = coverageOf(tally);
  const byClass = tally instanceof ClassTally ? figuresByClass(tally) : [];
  const figures = tally instanceof ClassTally ? classesFigures(tally, byClass) : numberFigures(tally);
  return {
    format: 1,
    ...facts,
    kind: tally instanceof ClassTally ? 'classes' : 'numbers',
    classes: tally instanceof ClassTally ? [...tally.classes] : null,
    coverage,
    figures,
    by_class: byClass,
    confusion: tally instanceof ClassTally ? confusionOf(tally) : null,
    deciles: tally instanceof ClassTally ? null : numberDeciles(tally),
    segments: segments.map(({ by, values, others }) => ({
      by,
      values: [...inOrder(values), ...(others === undefined ? [] : [[null, others] as const])].map(
        ([value, own]) => ({
          value,
          ...rowsOf(own),
          figures: figuresOf(own),
        }),
      ),
    })),
    earlier: earlier === undefined ? null : comparison(figures, earlier),
    warnings: warningsOf(coverage),
  };
}

/** Segments by value, so that months follow each other and 10 comes after 9, whatever the order of the rows. */
function inOrder<T extends Tally>(values: ReadonlyMap<string, T>): [string, T][] {
  const areNumbers = [...values.keys()].every(value => value !== '' && Number.isFinite(Number(value)));
  return [...values].sort(([a], [b]) => (areNumbers && Number(a) - Number(b)) || (a < b ? -1 : 1));
}

const figuresOf = (tally: Tally): EvaluationFigures =>
  tally instanceof ClassTally ? classesFigures(tally, figuresByClass(tally)) : numberFigures(tally);

function comparison(
  figures: EvaluationFigures,
  { name, evaluation }: NonNullable<EvaluationFacts['earlier']>,
): NonNullable<Evaluation['earlier']> {
  const shared = Object.entries(figures).flatMap(([figure, now]) => {
    const before = evaluation.figures[figure];
    return before === undefined ? [] : [[figure, now, before] as const];
  });
  return {
    evaluation: name,
    evaluated_at: evaluation.evaluated_at,
    figures: Object.fromEntries(shared.map(([figure, , before]) => [figure, before])),
    differences: Object.fromEntries(shared.map(([figure, now, before]) => [figure, difference(now, before)])),
  };
}

function confusionOf({ classes, confusion }: ClassTally): number[][] {
  const count = classes.length;
  return classes.map((_, actual) => [...confusion.subarray(actual * count, (actual + 1) * count)]);
}

function rowsOf(tally: Tally): { rows: number; labelled: number } {
  const labelled = tally instanceof ClassTally ? tally.labelled : tally.error.count;
  const unlabelled = tally instanceof ClassTally ? totalOf(tally.unlabelled) : tally.unlabelled;
  return { rows: labelled + unlabelled, labelled };
}

function coverageOf(tally: Tally): Evaluation['coverage'] {
  const { rows, labelled } = rowsOf(tally);
  const parts = partsOf(tally);
  const test = isFairPart(parts);
  return {
    rows,
    labelled,
    share: shareOf(labelled, rows, 'no row has a prediction'),
    invalid: tally.invalid,
    parts,
    fair: test?.fair ?? null,
    chi_squared: test === undefined ? null : rounded(test.chi_squared),
  };
}

type Part = Evaluation['coverage']['parts'][number];

/** Tenths of the rows by the prediction; of labels or several classes, rows by the predicted class. */
function partsOf(tally: Tally): Part[] {
  if (tally instanceof ClassTally && tally.scored.length !== 1) return partsByClass(tally);
  const [groups, without, labelled] =
    tally instanceof ClassTally
      ? ([tally.groups(0), UNLABELLED, [OTHERS, OF_CLASS]] as const)
      : ([tally.predictions(), WITHOUT, [WITH]] as const);
  return decilesOf(groups, [without, ...labelled]).map(({ from, to, sums }) => {
    const known = labelled.reduce((sum, column) => sum + (sums[column] ?? 0), 0);
    return {
      class: null,
      from: rounded(from),
      to: rounded(to),
      rows: known + (sums[without] ?? 0),
      labelled: known,
    };
  });
}

const partsByClass = ({ classes, confusion, unlabelled }: ClassTally): Part[] =>
  classes.flatMap((name, index) => {
    const labelled = classes.reduce(
      (sum, _, actual) => sum + (confusion[actual * classes.length + index] ?? 0),
      0,
    );
    const rows = labelled + (unlabelled[index] ?? 0);
    return rows === 0 ? [] : [{ class: name, from: null, to: null, rows, labelled }];
  });

function warningsOf({ fair, labelled, rows, parts }: Evaluation['coverage']): Evaluation['warnings'] {
  if (labelled === 0)
    return [{ code: 'no_labels', message: 'No scored row has a label, so nothing can be said yet.' }];
  if (fair !== false) return [];
  const shares = parts.map(part => part.labelled / part.rows);
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  return [
    {
      code: 'unfair_labels',
      message: `The labelled rows are not a fair part of all: ${percent(labelled / rows)} of the rows have a label, but from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} of the rows with similar predictions. Figures may change when more labels arrive.`,
    },
  ];
}

/** The figures of a report's testing rows, by the names that an evaluation has for them. */
export function testingFigures(report: object): Evaluation['testing'] {
  const quality: unknown = 'quality' in report ? report.quality : undefined;
  const names = ['accuracy', 'auc', 'log_loss', 'rmse', 'mae', 'median_error', 'r2'];
  const found = Object.entries(Object(quality)).filter(
    (figure): figure is [string, number] => names.includes(figure[0]) && typeof figure[1] === 'number',
  );
  return found.length === 0 ? null : Object.fromEntries(found);
}
