import { exitCodes, RowcastError } from '../../base/errors.ts';
import { serviceOptions } from '../../base/options/score.ts';
import { protocolOption } from '../../base/options/service.ts';
import { trainOptions } from '../../base/options/train.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readBaseUrl } from '../../client/base-url.ts';
import type { Access } from '../../library/definition/accesses.ts';
import { examinedAccesses, untrusted } from '../../library/definition/check-trust.ts';
import { inspectFile } from '../../library/definition/definition.ts';
import { flagsOf } from '../../library/definition/settings.ts';
import { chooseProtocol } from '../../library/service/choose-protocol.ts';
import { type Address, chooseService } from '../../library/service/choose-service.ts';
import { cloudService } from '../../library/service/cloud/cloud-hosts.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { fillPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import { refuseBinsOfNumbers } from '../../training/rows/read-history.ts';
import type { Context } from '../context.ts';
import { definitionFiles, withSettings } from '../definitions.ts';
import { checkEvaluation } from '../evaluate/run-evaluation.ts';
import { describeFailure, failureFields } from '../failure-text.ts';
import { printJson, printText } from '../terminal/print.ts';

interface Checked {
  file: string;
  problems: RowcastError[];
  /** What the definition would do. */
  accesses: Access[];
}

/**
 * Checks definitions without network, and without reading their data: prints everything that is wrong, with file and
 * line, and what they would read, write and send.
 */
export async function run(given: Context): Promise<number> {
  const { context, settings } = withSettings(given);
  const { flags, env, log } = context;
  const checked: Checked[] = [];
  for (const file of definitionFiles(given)) checked.push(await checkFile(file));

  async function checkFile(file: string): Promise<Checked> {
    try {
      const inspected = await inspectFile(file, { env, settings });
      const { definition } = inspected;
      if (definition === undefined) return { file, problems: inspected.problems, accesses: [] };
      const accesses = await examinedAccesses(definition, { flags, env });
      const address = checkScore(definition.score, flagsOf(settings));
      checkEvaluation(definition);
      refuseBinsOfNumbers(resolveValues(trainOptions, {}, definition.train ?? {}));
      const refused =
        flags['trust-definition'] === true ? [] : accesses.filter(({ refusal }) => refusal !== undefined);
      const problems = refused.map(access => untrusted(definition, access));
      const wrong = problems.length === 0 ? serviceProblem(address, definition.score) : undefined;
      if (wrong !== undefined)
        problems.push(wrong.addLocation({ file, line: definition.lineOf(['service', 'url']) }));
      return { file, problems, accesses };
    } catch (error) {
      if (error instanceof RowcastError)
        return { file, problems: [error.addLocation({ file })], accesses: [] };
      throw error;
    }
  }

  const count = checked.reduce((sum, { problems }) => sum + problems.length, 0);
  if (flags.json === true) await printJson(jsonOf(checked), 2);
  else
    for (const { file, problems, accesses } of checked) {
      if (problems.length === 0)
        log.info({ event: 'definition_valid', definition: file }, `${sanitize(file)}: valid`);
      for (const [index, problem] of problems.entries()) {
        // One hint for all that follow each other.
        if (problems[index + 1]?.hint === problem.hint) problem.hint = undefined;
        process.stderr.write(describeFailure(problem));
      }
      await printText(accesses.map(describeAccess).join(''));
    }
  return count === 0 ? ExitCode.done : exitCodes.refused;
}

const VERBS = { read: 'reads', write: 'writes', send: 'sends', run: 'runs' } as const;

/** For example `  reads   score.input: nightly/in.csv`. */
function describeAccess({ does, path, what, to }: Access): string {
  const where = to === undefined ? '' : ` to ${to}`;
  return `  ${VERBS[does].padEnd(6)}  ${path.join('.')}: ${sanitize(`${what}${where}`)}\n`;
}

/** Why a run would not send rows or a key to the service, as far as its URL tells. */
function serviceProblem(address: Address, score: Context['flags']): RowcastError | undefined {
  if (address.kind === 'local') return undefined;
  const { url, key, allowHttp, authHost: allowed } = address;
  const { protocol } = resolveValues(protocolOption, {}, score);
  try {
    const base = readBaseUrl(url, allowHttp, key === undefined ? 'rows' : undefined);
    if (key?.kind === 'cloud') cloudService(key.auth, base, { allowed, protocol });
    return undefined;
  } catch (error) {
    if (error instanceof RowcastError) return error;
    throw error;
  }
}

/** What no schema expresses. @returns the service, as the definition alone has it */
function checkScore(score: Context['flags'], flags: Context['flags']): Address {
  // Whatever the environment overrides must be right too.
  const address = chooseService({ flags, env: {}, defined: score });
  chooseProtocol(resolveValues(serviceOptions, flags, score));
  for (const name of ['output', 'rejects']) {
    const pattern = String(score[name] ?? '-');
    if (isOutputPattern(pattern)) fillPattern(pattern, { path: 'a.csv', dir: '.' }, 1);
    else if (Array.isArray(score.input) && score.input.length > 1 && (name === 'output' || pattern !== '-'))
      throw new RowcastError('usage', `score.${name} must name one file for each of the inputs`, {
        hint: 'Use a pattern with {name}, such as scored/{name}.csv.',
      });
  }
  return address;
}

function jsonOf(checked: readonly Checked[]): object {
  const definitions = checked.map(({ file, problems, accesses }) => ({
    file,
    valid: problems.length === 0,
    problems: problems.map(problem => {
      const { code, line = null, hint = null } = failureFields(problem);
      return { code, message: sanitize(problem.message), line, hint };
    }),
    accesses: accesses.map(({ path, does, what, to, refusal }) => ({
      key: path.join('.'),
      does,
      what: sanitize(what),
      to: to === undefined ? null : sanitize(to),
      needs_trust: refusal !== undefined,
    })),
  }));
  return { format: 1, definitions };
}
