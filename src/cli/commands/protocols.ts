import { protocolNames } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { aboutProtocol, type ProtocolAbout } from '../../client/protocols/about-protocols.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { alignColumns, printJson, printText } from '../terminal/print.ts';

/** Lists the protocols, or shows what one sends and reads. */
export async function run({ flags }: Context): Promise<number> {
  const name = flags.name === undefined ? undefined : String(flags.name);
  const shown = protocolNames.filter(each => name === undefined || each === name);
  if (shown.length === 0) throw unknownProtocol(name ?? '');
  const protocols = shown.map(aboutProtocol);
  if (flags.json === true) await printJson({ format: 1, protocols }, 2);
  else if (name === undefined) await printText(alignColumns([HEAD, ...protocols.map(rowOf)]));
  else await printText(protocols.map(describeProtocol).join('\n'));
  return ExitCode.done;
}

const HEAD = ['PROTOCOL', 'ROWS GO IN AS', 'SERVERS'];
const rowOf = ({ name, request, speaks }: ProtocolAbout): string[] => [
  name,
  request.layout.startsWith('request.layout') ? 'as described' : request.layout,
  speaks,
];

function describeProtocol({ name, speaks, auth, request, response, ready, limits }: ProtocolAbout): string {
  const lines = [
    ['protocol', name],
    ['servers', speaks],
    ['request', `POST ${request.path}`],
    ...request.other_paths.map(({ prefix, path }) => [
      '',
      `POST ${path} for a report that begins with ${prefix}`,
    ]),
    ['rows', `${request.layout}, as ${request.content_type}`],
    ...(request.body === null
      ? []
      : [['body', typeof request.body === 'string' ? request.body : JSON.stringify(request.body)]]),
    [
      'response',
      response.rows.map(pointer => (pointer === '' ? 'the whole response' : pointer)).join(' or '),
    ],
    ['prediction', response.row],
    ['classes', response.classes],
    ['ready', ready === null ? 'not asked' : `GET ${ready}`],
    ['key', auth],
    [
      'batch-bytes',
      limits.batch_bytes === null ? 'no bound of its own' : `at most ${counted(limits.batch_bytes)}`,
    ],
  ];
  return lines.map(([about = '', text]) => `${about.padEnd(13)} ${text}\n`).join('');
}

function unknownProtocol(name: string): RowcastError {
  const near = suggestNames(name, protocolNames);
  return new RowcastError('usage', `there is no protocol "${sanitize(name)}"`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are: ${protocolNames.join(', ')}.`,
  });
}
