import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newFolder, sharedFolder } from '../folder.ts';
import { killProcess, programOf, type Store, unprivileged, untilReady } from './store.ts';

/** Debian has a folder of programs for each version, outside of PATH. */
const DEBIAN = '/usr/lib/postgresql';
const folders = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(version => join(DEBIAN, version, 'bin')) : [];
const found = programOf('initdb', folders.toReversed());
/** Its other programs are next to it, not next to a link to it. */
const initdb = found && realpathSync(found);

const env = { LC_ALL: 'C' };

/** Why a test cannot have PostgreSQL; false if it can. */
export const noPostgres = initdb === undefined && 'initdb of PostgreSQL is not installed';

const bin = dirname(initdb ?? '');

/** By how users are checked: the data of a server that has never run, which takes longer to make than to copy. */
const made = new Map<string, Promise<string>>();

function newData(auth: string): Promise<string> {
  const known = made.get(auth) ?? makeData(auth);
  made.set(auth, known);
  return known;
}

async function makeData(auth: string): Promise<string> {
  const folder = await sharedFolder();
  const user = unprivileged();
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, 'data');
  const args = ['-D', data, '-U', 'rowcast', '-A', auth, '-N', '--no-instructions'];
  await promisify(execFile)(join(bin, 'initdb'), args, { ...user, cwd: folder, env });
  return data;
}

/** Starts PostgreSQL on a Unix socket; it ends with the test. @param auth how users of the socket are checked */
export async function startPostgres(t: TestContext, auth = 'trust'): Promise<Store> {
  const folder = await newFolder(t);
  const user = unprivileged();
  // It refuses to run as root.
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, 'data');
  const sockets = join(folder, 'sockets');
  await mkdir(sockets, { mode: 0o777 });
  if (user.uid !== undefined) await chown(sockets, user.uid, user.gid ?? user.uid);
  await promisify(execFile)('cp', ['-Rp', await newData(auth), data]);
  const settings = ['listen_addresses=', 'fsync=off', `unix_socket_directories=${sockets}`];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['-D', data, ...settings.flatMap(setting => ['-c', setting])];
    const ready = () => promisify(execFile)(join(bin, 'pg_isready'), ['-q', '-h', sockets]);
    // After a kill, it refuses to start until its last processes have ended.
    for (let tries = 100; ; tries--) {
      const own = spawn(join(bin, 'postgres'), args, { ...user, cwd: folder, stdio: 'ignore', env });
      child = own;
      try {
        return await untilReady('PostgreSQL', own, async () => {
          await ready();
          return own.exitCode === null;
        });
      } catch (error) {
        if (tries === 0) throw error;
        await delay(100);
      }
    }
  };
  const kill = async (): Promise<void> => child && killProcess(child);
  t.after(kill);
  await start();
  return {
    name: 'PostgreSQL',
    url: `postgres://rowcast@/postgres?host=${sockets}`,
    socket: join(sockets, '.s.PGSQL.5432'),
    urlAt: port => `postgres://rowcast@127.0.0.1:${port}/postgres`,
    kill,
    start,
  };
}
