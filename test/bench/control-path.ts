/** A function on the way from the command to the stages, and its file in `src`. */
type Step = readonly [name: string, file: string];

/**
 * The way of `rowcast score` with one input, by hand: a script cannot tell it from branches. `controlPath` checks it.
 */
const ways: readonly (readonly Step[])[] = [
  [
    ['runScore', 'cli/commands/score.ts'],
    ['untilSignal', 'cli/score/until-signal.ts'],
    ['executeRun', 'runs/execute-run.ts'],
    ['scoreRows', 'runs/score-rows.ts'],
  ],
  // The way when `executeRun` was four functions, for a checkout to compare with.
  [
    ['runScore', 'cli/commands/score.ts'],
    ['untilSignal', 'cli/score/until-signal.ts'],
    ['executeRun', 'runs/execute-run.ts'],
    ['executeRecorded', 'runs/execute-run.ts'],
    ['scoreLocked', 'runs/execute-run.ts'],
    ['scoreOnce', 'runs/execute-run.ts'],
    ['scoreRows', 'runs/score-rows.ts'],
  ],
  // The way before `executeRun`, for a checkout to compare with.
  [
    ['runScore', 'cli/commands/score.ts'],
    ['withRecord', 'cli/commands/score.ts'],
    ['recordRun', 'library/run/record-run.ts'],
    ['scoreReporting', 'cli/scoring.ts'],
    ['withScorer', 'library/service/with-scorer.ts'],
    ['scoreWith', 'cli/scoring.ts'],
    ['scoreRecorded', 'library/run/score-recorded.ts'],
    ['scoreAndRecord', 'library/run/score-recorded.ts'],
    ['scoreTo', 'scoring/score.ts'],
    ['scoreOnce', 'scoring/score.ts'],
    ['runPlan', 'scoring/run-plan.ts'],
  ],
];
const STAGES: Step = ['stages', 'scoring/stages.ts'];

/**
 * How many functions a run passes through from the command to the stages, and how often it moves from one room to
 * another. Each function must exist in its file, and be called in the text of one before it: what one function passes
 * to another as a callback is written in the former.
 *
 * @param textOf the text of a file of `src`; empty if it does not exist
 */
export function controlPath(textOf: (file: string) => string): { functions: number; moves: number } {
  const way = ways.find(steps => steps.every(([name, file]) => bodyOf(textOf(file), name) !== undefined));
  if (way === undefined)
    throw new Error('the way from the command to the stages has changed: correct it here');
  const bodies = way.map(([name, file]) => bodyOf(textOf(file), name) ?? '');
  for (const [i, [name]] of [...way.slice(1), STAGES].entries())
    if (!bodies.slice(0, i + 1).some(body => new RegExp(`\\b${name}\\(`).test(body)))
      throw new Error(`nothing on the way calls ${name}`);
  const rooms = [...way, STAGES].map(([, file]) => file.split('/')[0]);
  return { functions: way.length, moves: rooms.filter((room, i) => i > 0 && room !== rooms[i - 1]).length };
}

/** The text of a function, without its own name, up to the end of its block. */
const bodyOf = (text: string, name: string): string | undefined =>
  new RegExp(`^(?:export )?(?:async )?function ${name}\\b([^]*?)^}$`, 'm').exec(text)?.[1];
