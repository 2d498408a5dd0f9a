import type { Ours, Scores } from './models-ours.ts';

/** One split of a data set: our served model and HGB on the same rows. */
export interface Result {
  ours: Ours;
  theirs: Scores & { seconds: number };
}

const MAX_MEAN_BEHIND = 0.5;
const MAX_BEHIND = 2;
const MAX_TIMES = 5;
const MAX_MICROSECONDS = 50;
const MAX_SECONDS = 60;
const MAX_MEGABYTES = 1000;

/** What the columns mean, the goals, and the header of the table. */
export const head = `Accuracy and AUC in percent, mean of the splits. "s" are seconds of CPU, one thread each; ours are for the
selection, the evaluated model, drivers and a second training on all rows, HGB's for one fit with its defaults.
Goals: mean accuracy at most ${MAX_MEAN_BEHIND} points behind HGB, none more than ${MAX_BEHIND} behind; at most ${MAX_TIMES} times HGB's seconds;
${MAX_MICROSECONDS} us per predicted row; 100,000 x 100 in under ${MAX_SECONDS} s and ${MAX_MEGABYTES} MB, the whole process.

| data | splits | accuracy | HGB | points | AUC | HGB | s | HGB | times | us per row | models |
|---|---|---|---|---|---|---|---|---|---|---|---|
`;

const meanOf = (results: readonly Result[], of: (result: Result) => number): number =>
  results.reduce((sum, result) => sum + of(result), 0) / results.length;

const pointsOf = (results: readonly Result[]): number =>
  100 * meanOf(results, ({ ours, theirs }) => ours.accuracy - theirs.accuracy);

const timesOf = (results: readonly Result[]): number =>
  meanOf(results, ({ ours }) => ours.seconds) / meanOf(results, ({ theirs }) => theirs.seconds);

/** The row of a data set in the table. */
export function rowOf(name: string, results: readonly Result[]): string {
  const percent = (of: (result: Result) => number) => (100 * meanOf(results, of)).toFixed(1);
  const cells = [
    name,
    results.length,
    percent(({ ours }) => ours.accuracy),
    percent(({ theirs }) => theirs.accuracy),
    signed(pointsOf(results)),
    percent(({ ours }) => ours.area),
    percent(({ theirs }) => theirs.area),
    meanOf(results, ({ ours }) => ours.seconds).toFixed(2),
    meanOf(results, ({ theirs }) => theirs.seconds).toFixed(2),
    timesOf(results).toFixed(1),
    meanOf(results, ({ ours }) => ours.microseconds).toFixed(1),
    modelsOf(results),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

const signed = (points: number): string => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

/** "4 gradient boosted trees, 1 logistic regression". */
function modelsOf(results: readonly Result[]): string {
  const counts = new Map<string, number>();
  for (const { ours } of results) counts.set(ours.algorithm, (counts.get(ours.algorithm) ?? 0) + 1);
  return [...counts].map(([algorithm, count]) => `${count} ${algorithm}`).join(', ');
}

/** Which goals are reached, and the data sets that miss one. */
export function goalsReached(byName: ReadonlyMap<string, readonly Result[]>): string {
  const all = [...byName];
  const means = all.map(([, results]) => pointsOf(results));
  const mean = means.reduce((sum, points) => sum + points, 0) / means.length;
  const missed = (isMissed: (results: readonly Result[]) => boolean) =>
    all.filter(([, results]) => isMissed(results)).map(([name]) => name);
  const slow = missed(results => timesOf(results) > MAX_TIMES);
  const behind = missed(results => pointsOf(results) < -MAX_BEHIND);
  const heavy = missed(results => meanOf(results, ({ ours }) => ours.microseconds) > MAX_MICROSECONDS);
  const processes = all.flatMap(([name, results]) =>
    results.flatMap(({ ours: { process } }) => (process === undefined ? [] : [{ name, ...process }])),
  );
  return [
    `mean of all: ${signed(mean)} points (${mean >= -MAX_MEAN_BEHIND ? 'reached' : 'MISSED'})`,
    `more than ${MAX_BEHIND} points behind: ${behind.join(', ') || 'none'}`,
    `more than ${MAX_TIMES} times HGB's seconds: ${slow.join(', ') || 'none'}`,
    `more than ${MAX_MICROSECONDS} us per row: ${heavy.join(', ') || 'none'}`,
    ...processes.map(({ name, seconds, megabytes }) => {
      const isReached = seconds < MAX_SECONDS && megabytes < MAX_MEGABYTES;
      return `${name}, the whole process: ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB (${isReached ? 'reached' : 'MISSED'})`;
    }),
    '',
  ].join('\n');
}
