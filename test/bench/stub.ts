import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A prediction service that responds immediately, in its own process: it counts the personas and gives each
 * the same probabilities, so that the client is what is measured. Prints its URL. Its argument: milliseconds that each
 * request takes, 0 by default.
 */
const DELAY_MS = Number(process.argv[2] ?? 0);
const NEEDLE = Buffer.from('"features"');
const answers = new Map<number, Buffer>();

function answerTo(personas: number): Buffer {
  const known = answers.get(personas);
  if (known !== undefined) return known;
  const predictions = Array.from({ length: personas }, () => ({
    probabilities: { No: 0.7312, Yes: 0.2688 },
  }));
  const answer = Buffer.from(JSON.stringify({ id: 'R', predictions }));
  answers.set(personas, answer);
  return answer;
}

function countPersonas(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(NEEDLE); at !== -1; at = body.indexOf(NEEDLE, at + NEEDLE.length)) count++;
  return count;
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') {
    response.end('{"tech_specs":{},"drivers":[]}');
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const answer = answerTo(countPersonas(Buffer.concat(chunks)));
    if (DELAY_MS === 0) response.end(answer);
    else setTimeout(() => response.end(answer), DELAY_MS);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
