import { spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { WebSocket } from 'undici';
import { newFolder } from '../folder.ts';

/** Why there is no browser, or false if there is one. */
export const noBrowser =
  spawnSync('chromium', ['--version']).status === 0 ? false : 'Chromium is not installed';

/**
 * Evaluates an expression in a page, in a new browser, with the DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol).
 *
 * @param expression its promise is awaited; its value goes through JSON
 */
export async function evaluateAt(t: TestContext, url: string, expression: string): Promise<unknown> {
  const profile = await newFolder(t);
  const flags = ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
  const child = spawn('chromium', [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  try {
    const call = await connectToPage(await hostOfTools(child.stderr));
    await call('Page.navigate', { url });
    const evaluated = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (evaluated.exceptionDetails !== undefined) throw new Error(JSON.stringify(evaluated.exceptionDetails));
    return evaluated.result?.value;
  } finally {
    child.kill();
    await ended;
  }
}

/** The part of a response that is used. */
interface EvaluateReply {
  result?: { value: unknown };
  exceptionDetails?: object;
}

/** Calls the DevTools of the browser's first page, one call at a time. */
async function connectToPage(
  host: string,
): Promise<(method: string, params: object) => Promise<EvaluateReply>> {
  const text = await (await fetch(`http://${host}/json/list`)).text();
  const pages: { type: string; webSocketDebuggerUrl: string }[] = JSON.parse(text); // as in Chromium
  const page = pages.find(({ type }) => type === 'page');
  if (page === undefined) throw new Error(`the browser has no page: ${text}`);
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  const messages = on(socket, 'message');
  await once(socket, 'open');
  return async (method, params) => {
    socket.send(JSON.stringify({ id: 1, method, params }));
    for (;;) {
      const { value } = await messages.next();
      const { id, result } = JSON.parse(String(value[0].data));
      if (id === 1) return result;
    }
  };
}

async function hostOfTools(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [url] = /ws:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return new URL(url).host;
  }
  throw new Error('the browser has not printed its DevTools address');
}
