import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { bin } from '../../support/rowcast.ts';
import { descendantsOf } from './processes.ts';
import { missingPrograms } from './programs.ts';

const SERVER = '/usr/lib/openssh/sftp-server';
const install = 'apt-get install sshfs openssh-sftp-server, and run the tests as root';

/** Why machines cannot share a folder by network here; false if they can. */
export const noNetworkFolder: string | false =
  missingPrograms(['sshfs', 'unshare', SERVER], install) || cannotMount();

function cannotMount(): string | false {
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' });
    return !existsSync('/dev/fuse') && 'there is no /dev/fuse';
  } catch {
    return `no namespaces can be made; to make them: ${install}`;
  }
}

/** A folder on a server, which machines see at the same path. */
export interface NetworkFolder {
  /** On the server. */
  store: string;
  /** Runs `rowcast ARGS…` on a machine of its own: other processes, and a network connection to the folder. */
  machine(...args: string[]): Machine;
}

export interface Machine {
  /** stderr so far. */
  readonly said: string;
  ended: Promise<number | null>;
  /** Ends everything on it, as a power cut does. */
  switchOff(): void;
  /** Sends a signal to what has mounted the folder. SIGSTOP: the network stalls. SIGKILL: the mount is lost. */
  signalMount(signal: NodeJS.Signals): void;
}

/** Machines are processes with their own mounts and process ids, which end with the test. */
export async function newNetworkFolder(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<NetworkFolder> {
  const folder = await newFolder(t);
  const [store, shared, ssh] = [join(folder, 'store'), join(folder, 'shared'), join(folder, 'ssh')];
  for (const path of [store, shared]) await mkdir(path);
  // Instead of a login: the server's part of SFTP on a pipe.
  await writeFile(ssh, `#!/bin/sh\nexec ${SERVER}\n`, { mode: 0o755 });
  const options = ['-o', `ssh_command=${ssh}`, '-o', 'dir_cache=no'];
  const mount = ['sshfs', ...options, `server:${store}`, shared].join(' ');
  const inside = `${mount} && cd ${shared} && exec "$@"`;
  const namespaces = '--mount --pid --fork --mount-proc --kill-child --propagation private'.split(' ');
  return {
    store,
    machine(...args) {
      const command = ['sh', '-c', inside, 'machine', process.execPath, bin, ...args];
      const child = spawn('unshare', [...namespaces, ...command], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', text => {
        said += text;
      });
      const ended = once(child, 'close').then(([code]) => code as number | null);
      const switchOff = (): void => void child.kill('SIGKILL');
      t.after(async () => {
        switchOff();
        await ended;
      });
      return {
        get said() {
          return said;
        },
        ended,
        switchOff,
        signalMount(signal) {
          const mounts = descendantsOf(child.pid ?? 0).filter(({ command }) => command.startsWith('sshfs '));
          for (const { pid } of mounts) process.kill(pid, signal);
        },
      };
    },
  };
}
