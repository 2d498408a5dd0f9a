import { exitCodes, RowcastError } from '../../base/errors.ts';
import { serviceOptions } from '../../base/options/score.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { inspectFile } from '../../library/definition/definition.ts';
import { flagsOf } from '../../library/definition/settings.ts';
import { chooseProtocol } from '../../library/service/choose-protocol.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { fillPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import type { Context } from '../context.ts';
import { definitionFiles, settingsOf } from '../definitions.ts';
import { describeFailure, failureFields } from '../exit-codes.ts';
import { printText } from '../terminal/print.ts';

/** Checks definitions without network and data: prints everything that is wrong, with file and line. */
export async function run(context: Context): Promise<number> {
  const { flags, env, log } = context;
  const settings = settingsOf(context);
  const checked: { file: string; problems: RowcastError[] }[] = [];
  for (const file of definitionFiles(context)) checked.push({ file, problems: await problemsOf(file) });

  async function problemsOf(file: string): Promise<RowcastError[]> {
    try {
      const { definition, problems } = await inspectFile(file, { env, settings });
      if (definition === undefined) return problems;
      checkScore(definition.score, flagsOf(settings));
      return [];
    } catch (error) {
      if (error instanceof RowcastError) return [error.addLocation({ file })];
      throw error;
    }
  }

  const count = checked.reduce((sum, { problems }) => sum + problems.length, 0);
  if (flags.json === true) await printText(jsonOf(checked));
  else
    for (const { file, problems } of checked) {
      if (problems.length === 0)
        log.info({ event: 'definition_valid', definition: file }, `${sanitize(file)}: valid`);
      for (const [index, problem] of problems.entries()) {
        // One hint for all that follow each other.
        if (problems[index + 1]?.hint === problem.hint) problem.hint = undefined;
        process.stderr.write(describeFailure(problem));
      }
    }
  return count === 0 ? ExitCode.done : exitCodes.refused;
}

/** What no schema expresses. */
function checkScore(score: Context['flags'], flags: Context['flags']): void {
  // Whatever the environment overrides must be right too.
  chooseService({ flags, env: {} }, score);
  chooseProtocol(resolveValues(serviceOptions, flags, score));
  for (const name of ['output', 'rejects']) {
    const pattern = String(score[name] ?? '-');
    if (isOutputPattern(pattern)) fillPattern(pattern, { path: 'a.csv', dir: '.' }, 1);
    else if (Array.isArray(score.input) && score.input.length > 1 && (name === 'output' || pattern !== '-'))
      throw new RowcastError('usage', `score.${name} must name one file for each of the inputs`, {
        hint: 'Use a pattern with {name}, such as scored/{name}.csv.',
      });
  }
}

function jsonOf(checked: readonly { file: string; problems: readonly RowcastError[] }[]): string {
  const definitions = checked.map(({ file, problems }) => ({
    file,
    valid: problems.length === 0,
    problems: problems.map(problem => {
      const { code, line = null, hint = null } = failureFields(problem);
      return { code, message: sanitize(problem.message), line, hint };
    }),
  }));
  return `${JSON.stringify({ format: 1, definitions }, null, 2)}\n`;
}
