import { isUtf8 } from 'node:buffer';
import { endOfText } from '../api/body.ts';
import { RequestError } from './problems.ts';

/**
 * Objects and lists in a body. As many personas as there may be have twenty thousand; each takes fifty times its
 * two bytes once it is parsed, so that a body within its limit could take up all memory, and seconds of all
 * others' time.
 */
const MOST_NODES = 1_000_000;

const QUOTE = 0x22;
/** Brackets and braces differ in this bit alone. */
const BRACE = 0x20;
const OPENING = 0x7b;

/**
 * A body's JSON.
 *
 * @throws RequestError `malformed`
 */
export function readJson(body: Buffer): unknown {
  // Shorter ones cannot hold so many, and need not be looked through.
  if (body.length > MOST_NODES && nodesIn(body) > MOST_NODES)
    throw malformed(`The body has more than ${MOST_NODES.toLocaleString('en-US')} objects and lists.`);
  // Else another text would be taken for what was sent.
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''));
  } catch {
    throw malformed('The body is not JSON.');
  }
}

function nodesIn(json: Buffer): number {
  let nodes = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfText(json, at);
    else if ((byte | BRACE) === OPENING) nodes++;
  }
  return nodes;
}

const malformed = (detail: string): RequestError => new RequestError('malformed', detail);
