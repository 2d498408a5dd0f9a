import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type RunValues, scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { type RepairOptions, repair } from '../../../src/runs/repair/repair.ts';
import { type VerifyOutputOptions, verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../folder.ts';
import { connect } from '../stub/connect.ts';
import { score } from './score.ts';

/**
 * Runs, repairs and checks of the files of a new folder. The service rejects rows whose value is `bad`.
 *
 * @param input the name of the file that was scored
 * @param always options of all runs
 */
export async function repairBench(t: TestContext, input: string, always: Partial<RunValues> = {}) {
  const folder = await newFolder(t);
  const service = { isBad: (features: Record<string, unknown>): boolean => features.value === 'bad' };
  const { client } = await connect(t, {
    behave({ body, defaultResponse }) {
      for (const [index, { features }] of body.personas.entries())
        if (service.isBad(features))
          Object.assign(defaultResponse.predictions, { [index]: { error: { code: 'bad', message: 'no' } } });
      return false;
    },
  });
  const at = (name: string): string => join(folder, name);
  const scoring = (from: string, output: string, more: Partial<RunValues> = {}) => {
    const own = { ...scoreDefaults, report: 'r', classes: ['no', 'yes'], ...always, ...more };
    return score({ ...own, input: at(from), output: at(output) }, client);
  };
  const shape = { maxRecordBytes: scoreDefaults.maxRecordBytes, private: false };
  const repairing = (output: string, more: Partial<RepairOptions> = {}, corrected = 'corrected.csv') =>
    repair({ ...shape, output: at(output), corrected: at(corrected), ...more });
  const verifying = async (output: string, more: Partial<VerifyOutputOptions> = {}) => {
    const names = await readdir(folder);
    const [rejects, repaired] = ['rejects', 'repaired'].map(suffix =>
      names.includes(`${output}.${suffix}`) ? at(`${output}.${suffix}`) : undefined,
    );
    return verifyOutput({ ...shape, input: at(input), output: at(output), rejects, repaired, ...more });
  };
  const read = async (name: string): Promise<string> => {
    const bytes = await readFile(at(name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };
  return { folder, at, scoring, repairing, verifying, read, service };
}
