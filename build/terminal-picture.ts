// Runs the commands of the README's picture and renders what they print as docs/terminal.svg.
//   npm run picture

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TerminalLine, terminalSvg } from './terminal-svg.ts';

const root = join(import.meta.dirname, '../..');
/** Enough rows to interrupt the run in the middle, even on a fast machine. */
const ROWS = 3_000_000;

interface Step {
  command: string;
  /** Ctrl-C is sent a second after this file appears. */
  interruptAfter?: string;
}

const score = 'rowcast score personas.csv --report churn -o scored.csv';
const steps: readonly Step[] = [
  { command: score, interruptAfter: 'scored.csv.checkpoint' },
  { command: score },
  { command: 'rowcast verify personas.csv scored.csv' },
  { command: 'cut -d, -f1,4,5,16,17 scored.csv | head -n 4' },
];

const folder = await mkdtemp(join(tmpdir(), 'rowcast-picture-'));
try {
  const env = await prepare(folder);
  const lines: TerminalLine[] = [];
  for (const step of steps) {
    lines.push({ kind: 'command', text: step.command });
    const output = await run(step, env);
    for (const text of output.trimEnd().split('\n')) lines.push({ kind: 'output', text });
  }
  const title = 'A run of rowcast is interrupted, resumes with the same command, and is verified';
  await writeFile(join(root, 'docs/terminal.svg'), terminalSvg(title, lines));
} finally {
  await rm(folder, { recursive: true });
}

/** Prepares the command, a report and an input. */
async function prepare(folder: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const bundle = join(root, 'dist/src/bundle/rowcast.js');
  await writeFile(join(bin, 'rowcast'), `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const history = join(root, 'fixtures/telecom-history.csv');
  await run({ command: `rowcast train ${history} --predict churned --report churn` }, env);
  await writeFile(join(folder, 'personas.csv'), await personas());
  return env;
}

/** The fixture's complete rows without quotes, repeated, so that nothing distracts from the run. */
async function personas(): Promise<string> {
  const text = await readFile(join(root, 'fixtures/telecom-personas.csv'), 'utf8');
  const [header, ...rows] = text.trimEnd().split('\n');
  const width = header?.split(',').length;
  const plain = rows.filter(row => !row.includes('"') && row.split(',').length === width);
  const repeated = Array.from({ length: ROWS }, (_, index) => plain[index % plain.length]);
  return `${[header, ...repeated].join('\n')}\n`;
}

/** Runs a step as a shell does, and returns what it prints on stdout and stderr. */
async function run({ command, interruptAfter }: Step, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('sh', ['-c', `exec 2>&1; ${command.includes('|') ? '' : 'exec '}${command}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new AbortController();
  const closed = new Promise<void>(resolve => child.on('close', resolve)).then(() => ended.abort());
  if (interruptAfter !== undefined) {
    await appears(join(folder, interruptAfter), AbortSignal.any([ended.signal, AbortSignal.timeout(60_000)]));
    await sleep(1_000);
    output += '^C';
    child.kill('SIGINT');
  }
  await closed;
  return output;
}

/** @throws Error if the signal is aborted before the file appears */
async function appears(path: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(path)) {
    signal.throwIfAborted();
    await sleep(50);
  }
}
