import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/**
 * Two environments for local models, because LightGBM imports pandas and scikit-learn where they are installed, which
 * takes longer than scoring 300,000 rows.
 */
const packages = {
  lightgbm: ['polars==2.1.0', 'lightgbm==4.7.0', 'numpy==2.4.6', 'scipy==1.17.1'],
  sklearn: ['pandas==3.1.1', 'scikit-learn==1.9.1', 'numpy==2.4.6', 'scipy==1.17.1'],
  aiohttp: ['aiohttp==3.14.5'],
};

export type Environment = 'lightgbm' | 'sklearn';

/** The Python interpreters of the environments. */
export type Pythons = Readonly<Record<Environment, string>>;

/** Installs what is not yet installed, in a folder that later runs use again; returns why not if that fails. */
export async function installPythons(say: (text: string) => void): Promise<Pythons | string> {
  try {
    return { lightgbm: await installPython('lightgbm', say), sklearn: await installPython('sklearn', say) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The interpreter of one environment, which is installed if it is not there. */
export async function installPython(
  name: keyof typeof packages,
  say: (text: string) => void,
): Promise<string> {
  const python = process.env.PYTHON ?? 'python3';
  const version = await exec(python, ['-c', 'import venv, ensurepip, sys; print(sys.version)']).catch(
    () => undefined,
  );
  if (version === undefined)
    throw new Error(`${python} is not Python 3 with venv; PYTHON names another interpreter`);
  return installed(name, python, version.stdout, say);
}

async function installed(
  name: keyof typeof packages,
  python: string,
  version: string,
  say: (text: string) => void,
): Promise<string> {
  const wanted = `${version.trim()}\n${packages[name].join('\n')}\n`;
  const mark = createHash('sha256').update(wanted).digest('hex').slice(0, 8);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'rowcast-bench', `${name}-${mark}`);
  const own = join(folder, 'bin/python');
  const complete = join(folder, 'installed.txt');
  const found = await readFile(complete, 'utf8').catch(() => undefined);
  say(`${folder}: ${found === wanted ? 'has' : 'installing'} ${packages[name].join(', ')}`);
  if (found === wanted) return own;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await exec(python, ['-m', 'venv', folder]);
  await exec(own, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', ...packages[name]]);
  await writeFile(complete, wanted);
  return own;
}
