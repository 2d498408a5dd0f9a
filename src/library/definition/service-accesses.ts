import { protocolOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { redacted } from '../../client/base-url.ts';
import { chooseService, connectionOf, type Given } from '../service/choose-service.ts';
import type { Access } from './access.ts';
import type { MemberPath } from './document.ts';
import type { LocatedDefinition } from './inspect-definition.ts';

/**
 * What a service gets from a definition, or the report of this machine that is read.
 *
 * @throws RowcastError as `chooseService`
 */
export function serviceAccesses({ score }: LocatedDefinition, given: Given): Access[] {
  const address = chooseService(given, score);
  if (address.kind === 'local')
    return [
      {
        path: ['score', 'report'],
        does: 'read',
        what: `the report ${score.report} in ${address.home}`,
        refusal: undefined,
      },
    ];
  const { isDefined } = connectionOf(given, score);
  const to = redacted(address.url);
  const sent = (path: MemberPath, what: string, refusal?: string): Access => ({
    path,
    does: 'send',
    what,
    to,
    refusal,
  });
  const ofEnvironment = 'a url of a definition gets nothing secret from the environment';
  const { key, headers = {}, proxy } = address;
  const accesses = [sent(['service', 'url'], 'rows')];
  const refusal = isDefined ? ofEnvironment : undefined;
  if (key?.kind === 'environment')
    accesses.push(sent(['service', 'api-key-env'], `the key in ${key.name}`, refusal));
  if (key?.kind === 'file') accesses.push(sent(['service', 'api-key-file'], `the key in ${key.path}`));
  if (key?.kind === 'cloud')
    accesses.push(
      sent(
        ['service', 'auth'],
        CLOUDS[key.auth],
        isDefined ? `it is what this machine has, not the definition's` : undefined,
      ),
    );
  for (const [name, variable] of Object.entries(headers))
    accesses.push(
      sent(['service', 'header-env'], `the header ${name} with the value of ${variable}`, refusal),
    );
  if (proxy !== undefined && isDefined)
    accesses.push({
      path: ['service', 'proxy'],
      does: 'send',
      what: 'requests, through a proxy',
      to: redactedProxy(proxy),
      refusal: undefined,
    });
  const { protocol } = resolveValues(protocolOption, given.flags, score);
  if (protocol === 'custom' && !isDefined && (key !== undefined || Object.keys(headers).length > 0))
    accesses.push(
      sent(
        ['service', 'custom'],
        'requests that it describes',
        'it decides what is done with a key that it did not name',
      ),
    );
  return accesses;
}

const CLOUDS = {
  google: 'a token of Google',
  azure: 'a token of Azure',
  sigv4: 'a signature of AWS',
} as const;

const redactedProxy = (proxy: string): string =>
  proxy === 'env' ? 'the one that the environment names' : redacted(proxy);

/** Options of stores that choose whose credentials are used, or who gets the rows. */
const OF_STORES = ['endpoint', 'profile', 'account', 'encryption-key'];

/** What stores get from a definition besides rows. */
export function storeAccesses({ score, train }: LocatedDefinition, { flags }: Given): Access[] {
  const found = [
    ['train', train?.['store-options']],
    ['score', flags['store-options'] === undefined ? score['store-options'] : undefined],
  ] as const;
  return found.flatMap(([section, value]) => {
    const options: Readonly<Record<string, unknown>> = Object(value);
    return Object.entries(options)
      .filter(([name]) => OF_STORES.includes(name))
      .map(([name, text]) => ({
        path: [section, 'store-options', name],
        does: 'send' as const,
        what: name === 'endpoint' ? 'requests for stores' : `requests with this ${name}`,
        to: name === 'endpoint' ? redacted(String(text)) : String(text),
        refusal:
          name === 'endpoint' && String(options.unsigned) === 'true'
            ? undefined
            : 'it decides who gets the rows, or what the credentials of this machine permit',
      }));
  });
}
