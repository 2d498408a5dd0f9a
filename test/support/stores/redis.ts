import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { killProcess, programOf, type Store, unprivileged, untilReady } from './store.ts';

/** Why a test cannot have Redis; false if it can. */
export const noRedis = programOf('redis-server') === undefined && 'redis-server is not installed';

/** Starts Redis on a Unix socket; it ends with the test. @param flags settings besides those that keep every job */
export async function startRedis(t: TestContext, flags: readonly string[] = []): Promise<Store> {
  const folder = await newFolder(t);
  const socket = join(folder, 'redis.sock');
  const user = unprivileged();
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? user.uid);
  const place = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '777', '--dir', folder];
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn('redis-server', [...place, ...durable, ...flags], { ...user, stdio: 'ignore' });
    await untilReady('Redis', child, () => answers(socket));
  };
  const kill = async (): Promise<void> => child && killProcess(child);
  t.after(kill);
  await start();
  const urlAt = (port: number): string => `redis://127.0.0.1:${port}`;
  return { name: 'Redis', url: `redis:///?path=${socket}`, socket, urlAt, kill, start };
}

/** Whether it answers, also with an error, because a password may be needed. */
async function answers(socket: string): Promise<boolean> {
  const connection = createConnection(socket);
  try {
    connection.end('PING\r\n');
    const [answer] = await once(connection, 'data');
    return /^(\+PONG|-NOAUTH)/.test(String(answer));
  } finally {
    connection.destroy();
  }
}
