import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../support/listen.ts';
import { isRunning, until } from '../support/processes.ts';

/** Highest index of an array in this cluster, plus one: fewer than the shards of a test. */
export const MAX_ARRAY_SIZE = 3;

/**
 * A cluster of this machine, with ports and files of its own, which ends with the test.
 *
 * @returns the environment of its commands
 */
export async function startSlurm(t: TestContext): Promise<{ SLURM_CONF: string }> {
  // The path of a socket must be short, and munge refuses folders that others may write to.
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-slurm-'));
  chmodSync(folder, 0o755);
  const pids: number[] = [];
  t.after(async () => {
    for (const pid of pids.toReversed()) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void => {
    const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
    if (child.pid !== undefined) pids.push(child.pid);
  };
  startMunge(folder, start);
  const [controller, node] = [await freePort(), await freePort()];
  const conf = join(folder, 'slurm.conf');
  writeFileSync(conf, configuration(folder, controller, node));
  for (const name of ['ctld', 'spool']) mkdirSync(join(folder, name));
  const env = { SLURM_CONF: conf };
  const socket = join(folder, 'run/munge.sock');
  await until('munge', () => spawnSync('munge', ['-n', '-S', socket]).status === 0);
  start('slurmctld', ['-D', '-c', '-i'], env);
  start('slurmd', ['-D', '-N', 'localhost'], env);
  const ask = { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
  await until('an idle node', () => spawnSync('sinfo', ['-h', '-o', '%T'], ask).stdout.trim() === 'idle');
  return env;
}

/** munge proves who a message is from. It does not run as root. */
function startMunge(folder: string, start: (program: string, args: readonly string[]) => void): void {
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'munge'], { encoding: 'utf8' }).stdout);
  const [user, group] = [id('-u'), id('-g')];
  const key = join(folder, 'munge.key');
  writeFileSync(key, randomBytes(1024), { mode: 0o400 });
  chownSync(key, user, group);
  for (const [name, mode] of [
    ['run', 0o755],
    ['log', 0o700],
  ] as const) {
    mkdirSync(join(folder, name), { mode });
    chownSync(join(folder, name), user, group);
  }
  const files = {
    socket: 'run/munge.sock',
    'pid-file': 'run/munged.pid',
    'log-file': 'log/munged.log',
    'seed-file': 'log/munged.seed',
  };
  const flags = Object.entries(files).map(([name, file]) => `--${name}=${join(folder, file)}`);
  // setpriv becomes munged, so the pid is that of munged.
  start('setpriv', [
    `--reuid=${user}`,
    `--regid=${group}`,
    '--clear-groups',
    'munged',
    '-F',
    `--key-file=${key}`,
    ...flags,
  ]);
}

/** A requeued task waits until its credential has expired: one second more than `cred_expire`. */
const configuration = (folder: string, controller: number, node: number): string => `ClusterName=test
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${folder}/run/munge.sock,cred_expire=5
SlurmctldPort=${controller}
SlurmdPort=${node}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=${folder}/ctld
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
MaxArraySize=${MAX_ARRAY_SIZE}
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
