import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { freePort } from '../support/listen.ts';

/** Why tests with nginx are skipped, or false. */
export const withoutNginx: string | false =
  spawnSync('nginx', ['-v']).status === 0 ? false : 'nginx is not installed';

export interface NginxOptions {
  /** `host:port` of the upstream servers, used in turn. */
  upstream: readonly string[];
  /** Directives of its `http` block. */
  http?: string;
  /** Directives of its only location. */
  location?: string;
}

export interface Nginx {
  url: string;
  /** Statuses of its responses so far, in order of completion. */
  statuses(): Promise<string[]>;
}

/** Starts an nginx on loopback, in its own folder, until the test ends. */
export async function startNginx(t: TestContext, options: NginxOptions): Promise<Nginx> {
  const folder = await newFolder(t);
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), configOf(folder, port, options));
  // Not the system's files, ports or user, and a single process, which can be killed.
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('getrlimit')) resolve(); // its last message before it listens
    });
    void ended.then(() => reject(new Error(`nginx exited: ${said}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    statuses: async () => (await readFile(join(folder, 'statuses'), 'utf8')).trim().split('\n'),
  };
}

function configOf(
  folder: string,
  port: number,
  { upstream, http = '', location = '' }: NginxOptions,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log stderr notice;
    events { worker_connections 256; }
    http {
      log_format status $status;
      access_log ${folder}/statuses status;
      ${temporary.map(name => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${http}
      upstream services {
        ${upstream.map(server => `server ${server} max_fails=0;`).join('\n')}
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://services;
          proxy_set_header Host $host;
          proxy_next_upstream off;
          ${location}
        }
      }
    }`;
}
